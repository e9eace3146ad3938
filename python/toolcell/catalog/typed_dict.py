"""``typing.TypedDict`` for pydantic on Python 3.11, where it reads only the one of ``typing_extensions``."""

from __future__ import annotations

import sys
import types
import typing
from typing import Annotated, Any

import typing_extensions


def modern(annotation: Any) -> Any:
    """Return an annotation with each ``typing.TypedDict`` in it replaced by an equal one that pydantic reads.

    Limits:
        One that contains itself, or lies inside of a model's field, stays as it is; pydantic then says what to use.
    """
    return annotation if sys.version_info >= (3, 12) else _modern(annotation, ())


def _modern(annotation: Any, inside: tuple[Any, ...]) -> Any:
    if typing.is_typeddict(annotation) and type(annotation).__module__ == "typing" and annotation not in inside:
        return _rebuilt(annotation, (*inside, annotation))
    parts = typing.get_args(annotation)
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        return Annotated[(_modern(parts[0], inside), *annotation.__metadata__)]
    changed = tuple(_modern(part, inside) for part in parts)
    if all(new is old for new, old in zip(changed, parts, strict=True)):
        return annotation
    if origin in (typing.Union, types.UnionType):
        return typing.Union[changed]  # noqa: UP007  # made of values, not written out
    return origin[changed]


def _rebuilt(typed_dict: Any, inside: tuple[Any, ...]) -> Any:
    try:
        hints = typing.get_type_hints(typed_dict, include_extras=True)
    except NameError:
        return typed_dict
    fields: dict[str, Any] = {}
    for name, hint in hints.items():
        qualifier: Any = typing.Required if name in typed_dict.__required_keys__ else typing.NotRequired
        bare = typing.get_args(hint)[0] if typing.get_origin(hint) in (typing.Required, typing.NotRequired) else hint
        fields[name] = qualifier[_modern(bare, inside)]
    make: Any = typing_extensions.TypedDict
    rebuilt = make(typed_dict.__name__, fields)
    rebuilt.__module__, rebuilt.__doc__ = typed_dict.__module__, typed_dict.__doc__
    if (config := getattr(typed_dict, "__pydantic_config__", None)) is not None:
        rebuilt.__pydantic_config__ = config
    return rebuilt
