"""The cells of the demo, as a model would write them."""

from __future__ import annotations

import json

JOIN = """\
// Which open tickets of paying customers did we work on, who did, and when was that on the customer's clock?
const [gitLog] = await catalog.search("commit logs", {limit: 1});
const [log, paying] = await Promise.all([
  gitLog({repo_path: REPOSITORY, max_count: 50}),
  customer_list({plan: "paid"}),
]);
const commits = unwrap(log).split("Commit: ").slice(1).map(entry => ({
  author: entry.match(/Author: (.*)/)[1],
  time: entry.match(/Date: \\S+ (\\d\\d:\\d\\d)/)[1],
  ticket: entry.match(/SHOP-\\d+/)?.[0],
}));
const work = Map.groupBy(commits.filter(c => c.ticket), c => c.ticket);
const tickets = await Promise.all([...work.keys()].map(id => ticket_get({id})));
const customers = new Map(paying.map(c => [c.id, c]));
return Promise.all(tickets.filter(t => t.state === "open" && customers.has(t.customer)).map(async t => {
  const {name, zone} = customers.get(t.customer);
  const [{time}] = work.get(t.id);
  const there = unwrap(await MCP.time.convertTime({source_timezone: "UTC", time, target_timezone: zone}));
  const at = there.target.datetime.slice(11, 16);
  return {ticket: t.id, customer: name, by: [...new Set(work.get(t.id).map(c => c.author))], at: `${at} ${zone}`};
}));
"""

CATCH = """\
// A call that fails is an ordinary error: the cell goes on.
const found = [];
for (const id of ["SHOP-7", "SHOP-999"]) {
  try { found.push((await ticket_get({id})).title); }
  catch (error) { found.push(`${error.name}: ${error.message}`); }
}
return found;
"""

APPROVAL = """\
// Everything alive here is suspended with the cell: a closure, a private field, a generator in the middle.
class Counter { #sent = 0; next() { return ++this.#sent; } }
const counter = new Counter();
function* lines() { for (const t of ["SHOP-7", "SHOP-12"]) yield `${counter.next()}. ${t} is fixed`; }
const line = lines();
const text = line.next().value;
const answer = await announce({channel: "releases", text});   // a person decides
return {answer, next: line.next().value};
"""

ENDLESS = """\
for (;;);
"""

STUBBORN = """\
// One built-in that never asks whether it may go on.
Array.prototype.reverse.call({length: 2 ** 53 - 1});
"""

AFTER = """\
return "the next cell runs";
"""


def join(repository: str) -> str:
    """The joining cell, about this repository."""
    return JOIN.replace("REPOSITORY", json.dumps(repository))
