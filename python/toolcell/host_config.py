"""Configuration of a whole host: global options, and those of single agents and models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field

from toolcell.config import CodeModeConfig
from toolcell.errors import ConfigError
from toolcell.values import object_or_empty

_TREE_KEYS = frozenset({"codeMode", "code_mode", "models", "agents"})


class AgentConfig(BaseModel):
    """What one agent says about code mode."""

    model_config = ConfigDict(frozen=True)

    code_mode: CodeModeConfig = Field(default_factory=CodeModeConfig)
    models: dict[str, CodeModeConfig] = Field(default_factory=dict[str, CodeModeConfig])


class HostConfig(BaseModel):
    """The tree ``{codeMode, models: {id: {codeMode}}, agents: {id: {codeMode, models: {id: {codeMode}}}}}``.

    Model ids are ``provider/model``, compared without case. ``HostConfig(**tree)`` reads plain data.

    Raises:
        ConfigError: an unknown key or an invalid option; its field is the path, such as
            ``agents.main.codeMode.timeoutMs``.
    """

    model_config = ConfigDict(frozen=True)

    code_mode: CodeModeConfig = Field(default_factory=CodeModeConfig)
    models: dict[str, CodeModeConfig] = Field(default_factory=dict[str, CodeModeConfig])
    agents: dict[str, AgentConfig] = Field(default_factory=dict[str, AgentConfig])

    def __init__(self, **tree: Any) -> None:
        node = _object(tree, "", "codeMode", "models", "agents")
        agents = _entries(node.get("agents"), "agents")
        super().__init__(
            code_mode=_code_mode(node, "", process_wide=True),
            models=_models(node, ""),
            agents={name: _agent(entry, f"agents.{name}.") for name, entry in agents.items()},
        )

    @classmethod
    def of(cls, value: object = None) -> HostConfig:
        """Read a tree, or the value of a single ``codeMode`` (see `CodeModeConfig.of`) as the global one."""
        if isinstance(value, HostConfig):
            return value
        if not _TREE_KEYS.isdisjoint(object_or_empty(value)):
            return cls(**object_or_empty(value))
        return cls(code_mode=CodeModeConfig.of(value))

    def resolve(self, agent_id: str | None = None, model: str | None = None, overrides: object = None) -> CodeModeConfig:
        """Merge the options that hold for one run, key by key.

        Args:
            agent_id: Agent of the run, if it has one.
            model: ``provider/model`` that receives the request.
            overrides: The run's own options, anything `CodeModeConfig.of` reads; they win over all others.

        Returns:
            The merged options; highest first: overrides, agent and model, agent, model, global.

        Raises:
            ConfigError: ``overrides`` is invalid, or sets ``maxSuspended``, which holds for the whole process.
        """
        own = CodeModeConfig.of(overrides)
        _refuse_process_wide(own, "")
        agent = self.agents.get(agent_id or "", AgentConfig())
        key = (model or "").casefold()
        layers = [self.models.get(key), agent.code_mode, agent.models.get(key), own]
        return self.code_mode.merged_with(*layers)


def _agent(entry: object, path: str) -> AgentConfig:
    tree = _object(entry, path, "codeMode", "models")
    return AgentConfig(code_mode=_code_mode(tree, path), models=_models(tree, path))


def _models(tree: Mapping[str, Any], path: str) -> dict[str, CodeModeConfig]:
    entries = _entries(tree.get("models"), f"{path}models")
    return {
        name.casefold(): _code_mode(_object(entry, f"{path}models.{name}.", "codeMode"), f"{path}models.{name}.")
        for name, entry in entries.items()
    }


def _code_mode(tree: Mapping[str, Any], path: str, *, process_wide: bool = False) -> CodeModeConfig:
    try:
        config = CodeModeConfig.of(tree.get("codeMode"))
    except ConfigError as error:
        name = f"{path}codeMode" if error.field == "codeMode" else f"{path}codeMode.{error.field}"
        message = error.message.replace(error.field, name, 1)
        raise ConfigError(message, field=name, value=error.value, allowed=error.allowed) from None
    if not process_wide:
        _refuse_process_wide(config, f"{path}codeMode.")
    return config


def _refuse_process_wide(config: CodeModeConfig, path: str) -> None:
    if "max_suspended" in config.model_fields_set:
        name, allowed = f"{path}maxSuspended", "only the global codeMode of the process sets it"
        raise ConfigError(f"{name}: {allowed}", field=name, value=config.max_suspended, allowed=allowed)


def _object(value: object, path: str, *keys: str) -> Mapping[str, Any]:
    """Check that a node of the tree is an object with none but these keys; ``code_mode`` reads as ``codeMode``."""
    node = _entries(value, path.rstrip(".") or "configuration")
    node = {"codeMode" if key == "code_mode" else key: entry for key, entry in node.items()}
    for key, entry in node.items():
        if key not in keys:
            allowed = ", ".join(keys)
            raise ConfigError(f"{path}{key}: unknown key; allowed: {allowed}", field=f"{path}{key}", value=entry, allowed=allowed)
    return node


def _entries(value: object, path: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(f"{path}: an object is expected", field=path, value=value, allowed="an object")
    return {str(key): entry for key, entry in cast("Mapping[Any, Any]", value).items()}
