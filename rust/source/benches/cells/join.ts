interface Customer { id: number; name: string }
type Invoice = { customerId: number; dueDate: string; amountCents: number; paidCents?: number };
interface Entry { count: number; cents: number; oldest: number }
const [customers, invoices] = await Promise.all([
  tools.callValue("customers", { active: true }) as Promise<{ items: Customer[] }>,
  tools.callValue("invoices", { status: "open", limit: 500 }) as Promise<{ items: Invoice[] }>,
]);
const names: Map<number, string> = new Map(customers.items.map(({ id, name }): [number, string] => [id, name]));
const now: number = Date.parse("2025-06-30T00:00:00Z");
const totals: Record<number, Entry> = {};
for (const invoice of invoices.items) {
  const due = Date.parse(invoice.dueDate);
  if (Number.isNaN(due) || due >= now) continue;
  const entry: Entry = (totals[invoice.customerId] ??= { count: 0, cents: 0, oldest: due });
  entry.count += 1;
  entry.cents += invoice.amountCents - (invoice.paidCents ?? 0);
}
const rows = Object.entries(totals).map(([id, e]: [string, Entry]) => ({
  customer: names.get(Number(id))!,
  amount: (e.cents / 100).toFixed(2),
}));
return rows.slice(0, 10) satisfies object[];
