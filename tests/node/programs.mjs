// [code] → [{direct, suspended: {code, value | error}}]
import { main, run } from "./cell.mjs";
import { suspendEverywhere } from "./suspend.mjs";

await main(async (code) => {
  const suspended = suspendEverywhere(code);
  return { direct: { code, ...(await run(code)) }, suspended: { code: suspended, ...(await run(suspended)) } };
});
