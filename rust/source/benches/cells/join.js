// Overdue invoices per customer, largest first.
const [customers, invoices] = await Promise.all([
  tools.callValue("customers", { active: true }),
  tools.callValue("invoices", { status: "open", limit: 500 }),
]);
const names = new Map(customers.items.map(({ id, name }) => [id, name]));
const now = Date.parse("2025-06-30T00:00:00Z");
const totals = {};
for (const invoice of invoices.items) {
  const due = Date.parse(invoice.dueDate);
  if (Number.isNaN(due) || due >= now) continue;
  const entry = (totals[invoice.customerId] ??= { count: 0, cents: 0, oldest: due });
  entry.count += 1;
  entry.cents += invoice.amountCents - (invoice.paidCents ?? 0);
  entry.oldest = Math.min(entry.oldest, due);
}
const rows = Object.entries(totals)
  .map(([id, { count, cents, oldest }]) => ({
    customer: names.get(Number(id)) ?? `#${id}`,
    count,
    amount: (cents / 100).toFixed(2),
    days: Math.floor((now - oldest) / 86_400_000),
  }))
  .sort((a, b) => b.amount - a.amount);
return { total: rows.length, top: rows.slice(0, 10) };
