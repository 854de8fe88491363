"""A training that has ended, with everything that it came from."""

from dataclasses import dataclass

from pfsm.data import Judgments, Preferences
from pfsm.model.file import Model
from pfsm_training.data.training_set import TrainingSet
from pfsm_training.fit.crossval import CrossValidation, Folds
from pfsm_training.fit.fitting import Fitted, Fitter


@dataclass(frozen=True, eq=False)
class Training:
    """What a report is made of.

    Attributes:
        model: The trained model.
        judgments: In canonical order, as everywhere here; None: there are only preferences.
        preferences: None: there are only scores.
        data: Their lattices.
        folds: Their division for cross-validation.
        validated: Cross-validation at the lambda and mixture of the model.
        tried: Cross-validation of every choice.
        fitter: Fits with the options of the configuration.
        fitted: The fit to all data.
    """

    model: Model
    judgments: Judgments | None
    preferences: Preferences | None
    data: TrainingSet
    folds: Folds
    validated: CrossValidation
    tried: tuple[CrossValidation, ...]
    fitter: Fitter
    fitted: Fitted
