"""A declared context as a JSON document, part by part: what `schemas/context-1.json` says, for the type checker."""

from typing import NotRequired, TypedDict


class UnitDocument(TypedDict):
    """The unit of privacy: what it is, the two situations that it tells apart, and how much one of it contributes."""

    name: NotRequired[str]
    situations: NotRequired[list[str]]
    contribution: NotRequired[str]
    resets: NotRequired[str]


class CuratorDocument(TypedDict):
    """Who publishes, and what kind of body it is."""

    data_curator_name: str
    data_curator_type: str


class RegistryDocument(TypedDict):
    """What an entry of a deployments registry has beyond the rest, under the registry's own names."""

    url_slug: NotRequired[str]
    name: NotRequired[str]
    data_curators: NotRequired[list[CuratorDocument]]
    description: NotRequired[str]
    intended_use: NotRequired[str]
    data_product_type: NotRequired[str]
    data_product_region: NotRequired[str]
    data_product_sector: NotRequired[str]
    publication_date: NotRequired[str]
    data_domain: NotRequired[str]
    unprotected_quantities: NotRequired[str]
    number_of_privacy_units: NotRequired[int]
    actors: NotRequired[str]
    data_source_type: NotRequired[str]
    preprocessing_and_hyperparameter_tuning: NotRequired[str]
    composition: NotRequired[str]
    post_processing: NotRequired[str]
    justification: NotRequired[str]
    additional_information: NotRequired[str]
    registry_authors: NotRequired[list[str]]


class ContextDocument(TypedDict):
    """What an organisation declares; `delta` is exact, as in a record."""

    schema: NotRequired[str]
    delta: NotRequired[str]
    trust_model: NotRequired[str]
    trust: NotRequired[str]
    query_model: NotRequired[str]
    queries: NotRequired[str]
    other_releases: NotRequired[str]
    at_exhaustion: NotRequired[str]
    code: NotRequired[str]
    implementation: NotRequired[str]
    sampler: NotRequired[str]
    floating_point: NotRequired[str]
    side_channels: NotRequired[str]
    utility: NotRequired[str]
    security: NotRequired[str]
    collection: NotRequired[str]
    unit: NotRequired[UnitDocument]
    registry: NotRequired[RegistryDocument]
