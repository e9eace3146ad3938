"""Calls of every tool of those public servers that need no network and no account, to be made in this order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

Calls = list[tuple[str, dict[str, Any]]]
"""Name of a tool, as its server spells it, and arguments."""


def calls(folder: Path) -> dict[str, Calls]:
    """By server; ``folder`` is the one that `public_servers` was given."""
    files, repo = f"{folder}/files", {"repo_path": f"{folder}/repository"}
    return {
        "everything": [
            ("echo", {"message": "hi 東京"}),
            ("get-annotated-message", {"messageType": "error", "includeImage": True}),
            ("get-env", {}),
            ("get-resource-links", {"count": 2}),
            ("get-resource-reference", {"resourceType": "Text", "resourceId": 1}),
            ("get-resource-reference", {"resourceType": "Blob", "resourceId": 2}),
            ("get-structured-content", {"location": "Chicago"}),
            ("get-sum", {"a": 0.5, "b": 2}),
            ("get-tiny-image", {}),
            ("gzip-file-as-resource", {"name": "a.gz", "data": "data:text/plain,hello", "outputType": "resource"}),
            ("gzip-file-as-resource", {"name": "a.gz", "data": "data:text/plain,hello"}),
            ("toggle-simulated-logging", {}),
            ("toggle-simulated-logging", {}),
            ("toggle-subscriber-updates", {}),
            ("toggle-subscriber-updates", {}),
            ("trigger-long-running-operation", {"duration": 0.1, "steps": 2}),
            ("simulate-research-query", {"topic": "tides"}),
        ],
        "filesystem": [
            ("list_allowed_directories", {}),
            ("create_directory", {"path": f"{files}/sub"}),
            ("write_file", {"path": f"{files}/a.txt", "content": "one\ntwo\nthree\n"}),
            ("edit_file", {"path": f"{files}/a.txt", "edits": [{"oldText": "two", "newText": "2"}]}),
            ("edit_file", {"path": f"{files}/a.txt", "edits": [{"oldText": "four", "newText": "4"}]}),
            ("read_file", {"path": f"{files}/a.txt"}),
            ("read_text_file", {"path": f"{files}/a.txt", "head": 2}),
            ("read_text_file", {"path": f"{files}/none.txt"}),
            ("read_text_file", {"path": "/etc/hostname"}),
            ("read_media_file", {"path": f"{files}/a.txt"}),
            ("move_file", {"source": f"{files}/a.txt", "destination": f"{files}/sub/b.txt"}),
            ("read_multiple_files", {"paths": [f"{files}/sub/b.txt", f"{files}/a.txt"]}),
            ("list_directory", {"path": files}),
            ("list_directory_with_sizes", {"path": f"{files}/sub", "sortBy": "size"}),
            ("directory_tree", {"path": files}),
            ("search_files", {"path": files, "pattern": "**/*.txt"}),
            ("get_file_info", {"path": f"{files}/sub/b.txt"}),
        ],
        "memory": [
            (
                "create_entities",
                {
                    "entities": [
                        {"name": "Ada", "entityType": "person", "observations": ["writes programs"]},
                        {"name": "Ben", "entityType": "person", "observations": []},
                    ]
                },
            ),
            ("create_relations", {"relations": [{"from": "Ada", "to": "Ben", "relationType": "knows"}]}),
            ("add_observations", {"observations": [{"entityName": "Ben", "contents": ["plays chess", "is tall"]}]}),
            ("add_observations", {"observations": [{"entityName": "Nobody", "contents": ["is not there"]}]}),
            ("search_nodes", {"query": "chess"}),
            ("open_nodes", {"names": ["Ada"]}),
            ("delete_observations", {"deletions": [{"entityName": "Ben", "observations": ["is tall"]}]}),
            ("read_graph", {}),
            ("delete_relations", {"relations": [{"from": "Ada", "to": "Ben", "relationType": "knows"}]}),
            ("delete_entities", {"entityNames": ["Ada"]}),
            ("read_graph", {}),
        ],
        "git": [
            ("git_log", repo),
            ("git_log", {**repo, "max_count": 1}),
            ("git_show", {**repo, "revision": "HEAD"}),
            ("git_diff", {**repo, "target": "HEAD~1"}),
            ("git_diff", {**repo, "target": "--output=x"}),
            ("git_create_branch", {**repo, "branch_name": "side"}),
            ("git_checkout", {**repo, "branch_name": "side"}),
            ("git_branch", {**repo, "branch_type": "local"}),
            ("git_diff_unstaged", repo),
            ("git_add", {**repo, "files": ["new.txt"]}),
            ("git_status", repo),
            ("git_diff_staged", {**repo, "context_lines": 1}),
            ("git_commit", {**repo, "message": "new"}),
            ("git_reset", repo),
            ("git_log", repo),
        ],
        "time": [
            ("get_current_time", {"timezone": "Asia/Tokyo"}),
            ("convert_time", {"source_timezone": "UTC", "time": "16:30", "target_timezone": "Asia/Kathmandu"}),
            ("convert_time", {"source_timezone": "UTC", "time": "never", "target_timezone": "Asia/Tokyo"}),
        ],
    }
