"""A draft entry of OpenDP's registry of deployments: what a record knows, what its context declares, and what is to do.

The structure is that of opendp/deployments-registry-data, schemas/deployments-schema.yaml, as of commit 057e5d81.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcert.audit.algebra.decimals import up
from dpcert.audit.algebra.rational import parse
from dpcert.audit.defaults import DEFAULT_DELTA
from dpcert.audit.exchange.block_yaml import ToFill, Unsure, YamlNumber, block
from dpcert.audit.render import context
from dpcert.audit.render.cells import plain
from dpcert.audit.render.context import covered, epsilon_at_most, rows

Document = Mapping[str, Any]
TODO = "TODO: not declared"
CHECK = "TODO: fill in, this stands in for it"
HEADING = (
    "# A draft, written by dpcert from the record of an audit. What says TODO is for whoever deploys to fill in.\n"
)
PRODUCTS = "Summary statistics, Machine learning model, Dataset, Synthetic data, Interactive API or SQL queries"
SECTORS = "Technology, Healthcare, Education, Government, Energy or Finance"
MODELS = {"central": "Central", "local": "Local", "shuffle": "Shuffle", "federated": "Federated"}
SECOND_TIER = (("unit", "name"), ("trust_model",), ("query_model",), ("registry", "data_source_type"))
"""What an entry of the second tier has beside its numbers."""
THIRD_TIER = (
    ("unit", "situations"),
    ("trust",),
    ("implementation",),
    *(
        ("registry", key)
        for key in (
            "data_domain", "unprotected_quantities", "number_of_privacy_units", "actors", "composition",
            "preprocessing_and_hyperparameter_tuning", "post_processing", "justification",
        )
    ),
)  # fmt: skip
"""What one of the third has beside that."""


def entry(document: Document) -> str:
    """The entry as YAML; nothing in it is an approval of anything.

    Args:
        document: A record.
    """
    return HEADING + block(
        {
            "url_slug": declared(document, "registry", "url_slug") or _slug(_named(document)),
            "deployment": {
                "basic": _basic(document),
                "dp_variant": _variant(document),
                "privacy_loss": _privacy_loss(document),
                "deployment_model": _model(document),
                "implementation": _implementation(document),
                "administrative": {
                    "evidence_sources": ToFill("TODO, what describes the deployment, such as this audit's page"),
                    "status": "Draft",
                    "registry_authors": declared(document, "registry", "registry_authors") or [TODO],
                    "tier": _tier(document),
                },
            },
        }
    )


def declared(document: Document, *keys: str) -> Any:
    """What the context says, its lines kept and other control characters made visible; None where it says nothing."""
    return _lines_kept(context.declared(document, *keys))


def _lines_kept(value: Any) -> Any:
    if isinstance(value, str):
        return "\n".join(plain(line) for line in value.split("\n"))
    if isinstance(value, Mapping):
        return {key: _lines_kept(one) for key, one in value.items()}
    return [_lines_kept(one) for one in value] if isinstance(value, list) else value


def _named(document: Document) -> str:
    return declared(document, "registry", "name") or plain(document["target"])


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:80].strip("-") or "todo"


def _text(document: Document, *keys: str) -> str:
    return declared(document, *keys) or TODO


def _choice(document: Document, key: str, choices: str) -> Any:
    return declared(document, "registry", key) or ToFill(f"TODO, {choices}")


def _basic(document: Document) -> dict[str, Any]:
    """What every entry has."""
    nobody = [{"data_curator_name": TODO, "data_curator_type": Unsure("Industry", CHECK)}]
    return {
        "name": declared(document, "registry", "name") or f"TODO: not declared; audited as {plain(document['target'])}",
        "data_curators": declared(document, "registry", "data_curators") or nobody,
        "description": _text(document, "registry", "description"),
        "intended_use": _text(document, "registry", "intended_use"),
        "data_product_type": declared(document, "registry", "data_product_type")
        or Unsure("Summary statistics", f"TODO: {PRODUCTS}"),
        "data_product_region": _text(document, "registry", "data_product_region"),
        "data_product_sector": _choice(document, "data_product_sector", SECTORS),
        "publication_date": declared(document, "registry", "publication_date") or Unsure("1900-01-01", CHECK),
    }


def _guarantee(document: Document) -> tuple[str, dict[str, Fraction]]:
    """The variant and its parameters, rounded up; no parameters where none are known.

    At the delta that the organisation goes by; else with delta 0 where that can be; else at the record's own delta.
    None are taken from a scope in which nothing can happen.
    """
    if document["vacuous"]:
        return "Approximate DP", {}
    own = declared(document, "delta")
    said = (document.get("headline") or {}).get("privacy", {}).get("delta")
    usual = DEFAULT_DELTA if said is None else parse(said, "delta")
    for delta in [parse(own, "delta")] if own is not None else [Fraction(0), usual]:
        epsilon = epsilon_at_most(document, delta)
        if epsilon is not None:
            return (
                ("Approximate DP", {"epsilon": epsilon, "delta": delta}) if delta else ("Pure DP", {"epsilon": epsilon})
            )
    return "Approximate DP", {}


def _variant(document: Document) -> dict[str, Any]:
    name, known = _guarantee(document)
    return {
        "variant_name": name if known else Unsure(name, "TODO: no epsilon is known"),
        "data_domain": _text(document, "registry", "data_domain"),
        "unprotected_quantities": _text(document, "registry", "unprotected_quantities"),
    }


def _privacy_loss(document: Document) -> dict[str, Any]:
    """Unit and parameters; the numbers are those of the audited rounds, and say so."""
    _, guarantee = _guarantee(document)
    span = covered(document)
    challenge = document["scope"]["challenge_round"]
    where = "" if challenge is None else f", for a change in round {challenge} alone"
    note = (
        f"rounded up, over {span}{where}{'' if span == context.EVERY_HORIZON else '; TODO: is it observed for longer?'}"
    )
    numbers = {key: Unsure(YamlNumber.of(up(value)), note) for key, value in guarantee.items()}
    units = declared(document, "registry", "number_of_privacy_units")
    return {
        "privacy_unit": _text(document, "unit", "name"),
        "privacy_unit_details": _unit_details(document),
        "number_of_privacy_units": ToFill("TODO, a whole number") if units is None else units,
        "privacy_parameters": numbers or ToFill("TODO, the audit knows none at this delta and in its rounds"),
        "privacy_parameters_details": _details(document),
    }


def _rows(document: Document, *items: str) -> str:
    """Rows of the page's table, each with how it is known, as a list in Markdown."""
    found = {row.item: f"- {row.item} ({row.standing.value}): {row.text}" for row in rows(document)}
    return "\n".join(found[item] for item in items)


def _unit_details(document: Document) -> str:
    return _rows(document, "Situations not to be told apart", "Contribution of one unit", "Neighbouring relation")


def _details(document: Document) -> str:
    """What the numbers are of, and which laws."""
    items = ("Privacy loss", "Chance of certain disclosure", "Later rounds", "Other releases from the same data")
    made = f"Audit by dpcert of {plain(document['target'])}, laws {plain(document['kernel_digest'])}:"
    return f"{made}\n\n{_rows(document, *items)}"


def _model(document: Document) -> dict[str, Any]:
    model, access = declared(document, "trust_model"), declared(document, "query_model")
    many = document["scope"]["horizon"] > 1 or document["scope"].get("every_horizon", False)
    return {
        "model_name": MODELS[model] if model else ToFill("TODO, Central, Local, Shuffle or Federated"),
        "trust_assumptions": _text(document, "trust"),
        "actors": _text(document, "registry", "actors"),
        "release_type": "Many releases" if many else "One release",
        "release_type_details": f"Over {covered(document)}.\n\n{_rows(document, 'At exhaustion')}",
        "data_source_type": _choice(document, "data_source_type", "Static or Dynamic"),
        "access_type": access.capitalize() if access else ToFill("TODO, Interactive or Non-interactive"),
        "access_type_details": _text(document, "queries"),
    }


def _implementation(document: Document) -> dict[str, Any]:
    items = ("Code", "Sampler", "Floating point", "Timing and other side channels", "Security and access control")
    parameters = ", ".join(f"{plain(name)}={plain(value)}" for name, value in document["parameters"].items())
    mechanism = plain(document["target"]) + (f" with {parameters}" if parameters else "")
    keys = ("preprocessing_and_hyperparameter_tuning", "composition", "post_processing", "justification")
    said = {key: _text(document, "registry", key) for key in keys}
    return {
        keys[0]: said[keys[0]],
        "mechanisms": f"{mechanism}:\n\n{_rows(document, *items)}",
        **{key: said[key] for key in keys[1:]},
        "utility": _text(document, "utility"),
        "additional_information": _text(document, "registry", "additional_information"),
    }


def _tier(document: Document) -> int:
    """How complete the entry is, by what is declared."""

    def has(keys: tuple[tuple[str, ...], ...]) -> bool:
        return all(declared(document, *key) is not None for key in keys)

    if not (_guarantee(document)[1] and has(SECOND_TIER)):
        return 1
    return 3 if has(THIRD_TIER) else 2
