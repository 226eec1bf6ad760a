"""Models by the names that commands and estimators take."""

from dpcert.audit.errors import expected, one_line
from dpcert.mechanisms.models.hidden_layer import HiddenLayer
from dpcert.mechanisms.models.logistic import Logistic
from dpcert.mechanisms.models.model import Model
from dpcert.mechanisms.models.softmax import Softmax

MODELS = ("logistic", "softmax", "hidden-layer")
"""Their names."""


def model_of(name: str, features: int, classes: int) -> Model:
    """The model of that name, of so many features and classes.

    Raises: ArgumentError: another name, or `logistic` of more than two classes.

    >>> model_of("softmax", 2, 3).dimension
    9
    """
    if name == "logistic":
        if classes != 2:
            raise expected("two classes for logistic regression (softmax takes more)", classes=classes)
        return Logistic(features)
    if name == "softmax":
        return Softmax(features, classes)
    if name == "hidden-layer":
        return HiddenLayer(features, classes)
    raise expected(" or ".join(MODELS), model=one_line(name))


def usual_model(features: int, classes: int) -> Model:
    """Logistic regression of two classes, softmax of more."""
    return model_of("logistic" if classes == 2 else "softmax", features, classes)
