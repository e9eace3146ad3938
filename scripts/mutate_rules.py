"""Switches one rule of the package off at a time, and shows that the test which stands for it fails.

    .venv/bin/python scripts/mutate_rules.py [WORD ...]

With words, only the rules whose test has one of them in its name. Exits with 1 if a test passes without its rule.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python" / "toolcell"


@dataclass(frozen=True)
class Mutation:
    """``rule``, which stands once in ``file``, is replaced by ``without``; then ``test`` must fail."""

    test: str
    file: str
    rule: str
    without: str


CLAIMS = "tests/contract/test_claims.py::"

MUTATIONS = [
    Mutation(
        "tests/unit/test_activation.py::test_the_rules_of_activation",
        "activation.py",
        "if not has_tools:",
        "if False:",
    ),
    Mutation(
        "tests/unit/test_model_catalog.py::test_once_a_row_of_a_group_states_a_tier_each_row_must",
        "model_catalog.py",
        "if silent and len(silent) < len(members):",
        "if False:",
    ),
    Mutation(
        "tests/unit/test_run.py::test_an_engaged_run_without_an_executor_can_not_be_entered",
        "runtime/run.py",
        "await self.code_mode.executor.open()",
        "pass",
    ),
    Mutation(
        "tests/unit/test_surface.py::test_any_other_payload_is_refused",
        "surface.py",
        'if strange := sorted(set(count) - {"exec", "wait", *direct}):',
        "if strange := []:",
    ),
    Mutation(
        "tests/unit/test_surface.py::test_in_the_strict_variant_all_is_required_and_null_means_absent",
        "surface.py",
        'list(properties) if strict else ["code"]',
        '["code"]',
    ),
    Mutation(
        CLAIMS + "test_null_in_the_strict_variant_means_absent",
        "runtime/arguments.py",
        "for key, value in given.items() if value is not None}",
        "for key, value in given.items()}",
    ),
    Mutation(
        "tests/unit/test_quick_index.py::test_a_line_that_does_not_fit_is_skipped_and_smaller_ones_still_enter",
        "quick_index.py",
        "if len(line) >= chars or misses == _MAX_MISSES:\n            continue",
        "if len(line) >= chars or misses == _MAX_MISSES:\n            break",
    ),
    Mutation(
        CLAIMS + "test_of_several_reasons_to_wait_yield_comes_first_then_approval",
        "runtime/pending_calls.py",
        'if self._counts[YIELD]:\n            return "yield"',
        "",
    ),
    Mutation(
        CLAIMS + "test_inputs_are_shown_only_of_calls_that_someone_outside_must_answer",
        "runtime/pending_calls.py",
        "shown = call.value if pending.stage in (APPROVAL, ASKING, CLIENT) else None",
        "shown = call.value",
    ),
    Mutation(
        "tests/unit/test_cell.py::test_a_cell_belongs_to_one_scope",
        "scope.py",
        "return self.complete and self.digest == digest",
        "return True",
    ),
    Mutation(
        "tests/unit/test_outside.py::test_a_decision_wakes_a_wait_that_is_blocked",
        "runtime/claim.py",
        "if cell.state is not State.PARKED:",
        "if False:",
    ),
    Mutation(
        "tests/unit/test_cell.py::test_the_clock_of_a_cell_does_not_run_while_an_approval_is_pending",
        "runtime/parking.py",
        "if cell.calls.idle and not cell.aborted:",
        "if not cell.aborted:",
    ),
    Mutation(
        "tests/unit/test_stored_cells.py::test_a_host_that_another_one_overtook_does_not_let_the_cell_expire",
        "store/sqlite.py",
        "_PARKED = \"state = 'parked' AND generation = ?\"",
        "_PARKED = \"state = 'parked' AND ? IS NOT NULL\"",
    ),
    Mutation(
        "tests/unit/test_catalog.py::test_two_tools_with_one_id_are_refused_by_name",
        "catalog/catalog.py",
        "_refuse_doubles(ordered)\n        named",
        "named",
    ),
    Mutation(
        "tests/unit/test_catalog.py::test_an_exact_name_comes_first_in_a_search",
        "catalog/catalog.py",
        "dict.fromkeys([*exact, *self._ranked(query, limit, with_mcp)])",
        "dict.fromkeys(self._ranked(query, limit, with_mcp))",
    ),
    Mutation(
        "tests/unit/test_pipeline.py::test_an_edit_is_validated_again",
        "policy/pipeline.py",
        "        call.value = value\n        self._bind(call)",
        "        call.value = value",
    ),
    Mutation(
        "tests/unit/test_pipeline.py::test_the_output_contract_is_checked_after_the_hooks",
        "catalog/tool.py",
        "if self.output_contract is None or result.conforms or result.is_error:",
        "if True:",
    ),
    Mutation(
        CLAIMS + "test_a_policy_that_changed_its_mind_stops_an_approved_call",
        "runtime/calls.py",
        "await pipeline.recheck(call)",
        "call.entry = pipeline.resolve(call.target)",
    ),
    Mutation(
        CLAIMS + "test_a_policy_is_asked_again_at_each_call",
        "policy/pipeline.py",
        "if self._visibility_changes and not",
        "if False and not",
    ),
    Mutation(
        "tests/unit/test_calls.py::test_calls_that_wait_for_a_person_hold_no_slot",
        "runtime/pending.py",
        "HOLDS_SLOT = frozenset({Stage.AUTHORISING, Stage.RUNNING, Stage.CLIENT})",
        "HOLDS_SLOT = frozenset({Stage.AUTHORISING, Stage.RUNNING, Stage.CLIENT, Stage.APPROVAL})",
    ),
    Mutation(
        "tests/unit/test_outside.py::test_a_callback_that_raises_denies_and_its_text_stays_on_the_host",
        "policy/pipeline.py",
        "        except Exception:  # its text stays on the host\n            return False",
        "        except Exception:  # its text stays on the host\n            return True",
    ),
    Mutation(
        "tests/unit/test_pipeline.py::test_a_block_denies_and_its_reason_stays_on_the_host",
        "policy/pipeline.py",
        "                elif answer is not None:\n                    raise denied(call)",
        "",
    ),
    Mutation(
        "tests/unit/test_calls.py::test_a_tools_own_limit_of_calls_at_once_holds",
        "policy/pipeline.py",
        "limit = 1 if entry.tool.sequential else (entry.tool.max_concurrency or 1)",
        "limit = 100",
    ),
    Mutation(
        "tests/unit/test_cell.py::test_a_side_effect_in_a_restart_safe_cell_is_refused_before_anything_of_its_leg_runs",
        "runtime/calls.py",
        'if not tool.replay_safe or tool.kind in ("mcp", "client"):',
        "if False:",
    ),
    Mutation(
        "tests/unit/test_telemetry.py::test_a_nested_call_names_its_exec_as_parent_and_shows_its_input_redacted",
        "policy/policy.py",
        "return redacted(call.input)",
        "return call.input",
    ),
    Mutation(
        "tests/unit/test_untrusted.py::test_a_forged_mark_loses_its_bracket",
        "untrusted.py",
        "_without_marks(_INVISIBLE.sub(_spell, text))",
        "_INVISIBLE.sub(_spell, text)",
    ),
    Mutation(
        "tests/integration/test_mcp_policy.py::test_a_guessed_id_is_unknown_and_never_reaches_the_server",
        "catalog/catalog.py",
        'if entry is not None and entry.tool.kind == "mcp":',
        "if entry is not None:",
    ),
    Mutation(
        "tests/integration/test_mcp_policy.py::test_a_restart_safe_cell_calls_no_server",
        "runtime/calls.py",
        "if call.method in MCP_FORMS:",
        "if False:",
    ),
    Mutation(
        "tests/integration/test_mcp_guest.py::test_an_error_of_the_tool_is_thrown_with_its_text_and_with_raw_it_is_the_result",
        "policy/pipeline.py",
        'call.form in ("call_value", "mcp")',
        'call.form == "call_value"',
    ),
    Mutation(
        "tests/integration/test_learned_types.py::test_types_are_learned_from_what_hooks_let_through",
        "policy/pipeline.py",
        "self._observe(entry, details)",
        "self._observe(entry, raw.details)",
    ),
]


def survives(mutation: Mutation) -> bool:
    """Run a test against a copy of the package without its rule; whether it passes all the same.

    Raises:
        RuntimeError: the test did not run, or the rule does not stand where it should.
    """
    with tempfile.TemporaryDirectory(prefix="toolcell-mutation-") as folder:
        package = Path(folder) / "toolcell"
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
        target = package / mutation.file
        text = target.read_text(encoding="utf-8")
        if text.count(mutation.rule) != 1:
            raise RuntimeError(f"{mutation.file}: the rule stands there {text.count(mutation.rule)} times: {mutation.rule}")
        target.write_text(text.replace(mutation.rule, mutation.without), encoding="utf-8")
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", mutation.test],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
        )
    if ended.returncode not in (0, 1):
        raise RuntimeError(f"{mutation.test} did not run:\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}")
    return ended.returncode == 0


def main(words: list[str]) -> int:
    chosen = [mutation for mutation in MUTATIONS if not words or any(word in mutation.test for word in words)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(survives, chosen))
    for mutation, survived in zip(chosen, outcomes, strict=True):
        print(f"{'PASSES WITHOUT ITS RULE' if survived else 'fails as it should'}: {mutation.test}")
    print(f"{len(chosen) - sum(outcomes)} of {len(chosen)} tests fail without their rule")
    return 1 if any(outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
