"""Whether a run uses code mode. The rules are here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolcell.config import CodeModeConfig
from toolcell.model_catalog import ModelCatalog

EngagementReason: TypeAlias = Literal[
    "forced", "disabled", "no_tools", "model_without_tools", "enabled", "model_preferred", "model_capable", "no_model"
]


@dataclass(frozen=True, slots=True)
class Activation:
    """The decision for one run and model, and the rule that made it."""

    engaged: bool
    reason: EngagementReason


def decide(
    config: CodeModeConfig, model: str | None, models: ModelCatalog, *, has_tools: bool, force: bool = False
) -> Activation:
    """Decide for the model that receives the request; decide anew when a run falls back to another model.

    Args:
        config: Options resolved for this agent and model.
        model: ``provider/model``; ``None`` if the host doesn't say.
        models: Tiers.
        has_tools: Whether the run has any effective tool after policy.
        force: For callers that exist only to run cells.
    """
    if force:
        return Activation(True, "forced")
    if config.enabled is False:
        return Activation(False, "disabled")
    if not has_tools:
        return Activation(False, "no_tools")
    if model is not None and not models.supports_tools(model):
        return Activation(False, "model_without_tools")
    if config.enabled is True:
        return Activation(True, "enabled")
    if model is None:
        return Activation(False, "no_model")
    if models.tier(model) == "preferred":
        return Activation(True, "model_preferred")
    return Activation(False, "model_capable")
