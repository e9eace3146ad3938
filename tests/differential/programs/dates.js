// features: dates in UTC, ISO text
const date = new Date(Date.UTC(2024, 1, 29, 12, 30, 45, 678));
await tick();
return [date.toISOString(), date.getTime(), JSON.stringify({ date }), date.toJSON(), new Date(date).getTime() === +date];
// ---
// features: date parts, local time is UTC
const date = new Date("2023-12-31T23:59:59.999Z");
return [date.getFullYear(), date.getMonth(), date.getDate(), date.getDay(), date.getHours(), date.getMinutes(), date.getSeconds(), date.getMilliseconds(), date.getTimezoneOffset(), date.getUTCHours()];
// ---
// features: date arithmetic, overflow of parts
const date = new Date(Date.UTC(2024, 0, 31));
date.setUTCMonth(1);
const after = date.toISOString();
date.setUTCDate(0);
return [after, date.toISOString(), new Date(Date.UTC(2023, 13, -1, 25)).toISOString(), (new Date("2024-03-01") - new Date("2024-02-01")) / 86400000];
// ---
// features: date parsing
return ["2024-01-02", "2024-01-02T03:04Z", "2024-01-02T03:04:05", "2024-01-02T03:04:05+02:00", "2024-06", "2024", "+012345-01-01T00:00:00Z", "nonsense", "2024-13-01", "2024-02-30"].map((text) => { const at = Date.parse(text); return Number.isNaN(at) ? null : at; });
// ---
// features: date strings
const date = new Date(Date.UTC(1999, 8, 5, 4, 3, 2));
return [date.toString().slice(0, 33), date.toDateString(), date.toUTCString(), date.toTimeString().slice(0, 17), String(new Date(NaN)), new Date(0).toUTCString()];
// ---
// features: invalid dates, date limits
const outcomes = [new Date(8.64e15).toISOString(), Number.isNaN(+new Date(8.64e15 + 1)), new Date(-1).toISOString(), new Date(-62198755200000).toISOString(), new Date(NaN).toJSON()];
try { new Date(NaN).toISOString(); } catch (error) { outcomes.push(error.name); }
return outcomes;
// ---
// features: date constructor forms
return [new Date(2020, 5).toISOString(), new Date(99, 0).getFullYear(), new Date(2020, 0, 1, 1, 1, 1, 1).getTime(), +new Date(null), +new Date(true), Number.isNaN(+new Date(undefined)), +new Date("0"), typeof Date(), Date.length, Date.UTC(2000)];
// ---
// features: date to primitive
const date = new Date(5);
return [date + 1 === date.toString() + "1", date - 1, date * 2, `${date}` === date.toString(), date[Symbol.toPrimitive]("number"), date > new Date(4), date == 5, [date].map(Number)];
// ---
// features: week numbers, calendars
const week = (date) => { const copy = new Date(date); copy.setUTCDate(copy.getUTCDate() + 4 - (copy.getUTCDay() || 7)); return Math.ceil(((copy - Date.UTC(copy.getUTCFullYear(), 0, 1)) / 864e5 + 1) / 7); };
const leap = (year) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
return [["2020-12-31", "2021-01-01", "2021-01-04", "2024-12-30"].map(week), [1900, 2000, 2023, 2024].filter(leap)];
// ---
// features: formatting dates by hand, padding
const format = (date, pattern) => pattern.replace(/YYYY|MM|DD|HH|mm/g, (part) => ({ YYYY: date.getUTCFullYear(), MM: date.getUTCMonth() + 1, DD: date.getUTCDate(), HH: date.getUTCHours(), mm: date.getUTCMinutes() })[part].toString().padStart(2, "0"));
return [format(new Date(0), "DD.MM.YYYY HH:mm"), format(new Date("2031-10-09T08:07Z"), "YYYYMMDD-HHmm")];
// ---
// features: setters of dates, return values
const date = new Date(0);
const returned = [date.setUTCFullYear(2025, 5, 15), date.setUTCHours(25, 61, 61, 1001), date.setMilliseconds(-1), date.setTime(86399999), date.setTime(NaN)];
return [returned.map((each) => Number.isNaN(each) ? "NaN" : each), Number.isNaN(date.getTime())];
// ---
// features: grouping by day, sorting dates
const events = [["b", "2024-05-02T10:00:00Z"], ["a", "2024-05-01T23:59:59Z"], ["c", "2024-05-02T00:00:00+02:00"], ["d", "2024-05-02T00:00:00Z"]].map(([name, at]) => ({ name, at: new Date(at) }));
events.sort((one, other) => one.at - other.at);
const days = {};
for (const { name, at } of events) { await tick(); (days[at.toISOString().slice(0, 10)] ??= []).push(name); }
return days;
// ---
// features: durations, human readable spans
const span = (ms) => [["d", 864e5], ["h", 36e5], ["m", 6e4], ["s", 1e3]].reduce(({ left, parts }, [unit, size]) => { const n = Math.floor(left / size); return { left: left % size, parts: n ? [...parts, n + unit] : parts }; }, { left: ms, parts: [] }).parts.join(" ");
return [span(90061000), span(59999), span(0), span(new Date("2024-03-10T00:00Z") - new Date("2024-03-08T12:30Z"))];
// ---
// features: date prototype, species of date
class Day extends Date { get iso() { return this.toISOString().slice(0, 10); } static today() { return new this(Date.UTC(2030, 0, 2)); } }
const day = Day.today();
return [day.iso, day instanceof Date, Object.prototype.toString.call(day), typeof Date.now(), Date.now() > 1.6e12, Object.keys(day)];
