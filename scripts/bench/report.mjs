/**
 * A line of the result. A figure is NaN where there is none.
 * @typedef {object} Row
 * @property {string} scenario
 * @property {string} figure what is measured, with its unit
 * @property {number} planroom
 * @property {number} raw the raw broadcast server's, or what else planroom is compared with
 * @property {number} ratio planroom to raw
 * @property {string} wanted empty: for information
 * @property {boolean} [reached]
 * @property {string} [remark]
 */

/**
 * A row whose ratio should be at most so much.
 * @param {string} scenario
 * @param {string} figure
 * @param {number} planroom
 * @param {number} raw
 * @param {number} [ratioMax]
 * @returns {Row}
 */
export function ratioRow(scenario, figure, planroom, raw, ratioMax) {
  const ratio = planroom / raw;
  if (ratioMax === undefined) return { scenario, figure, planroom, raw, ratio, wanted: '' };
  return { scenario, figure, planroom, raw, ratio, wanted: `ratio <= ${ratioMax}`, reached: ratio <= ratioMax };
}

/**
 * A row whose figure should be at most so much.
 * @param {string} scenario
 * @param {string} figure
 * @param {number} planroom
 * @param {number} raw
 * @param {number} max
 * @returns {Row}
 */
export function boundRow(scenario, figure, planroom, raw, max) {
  const wanted = `<= ${round(max)}`;
  return { scenario, figure, planroom, raw, ratio: planroom / raw, wanted, reached: planroom <= max };
}

/** @param {number} value */
function round(value) {
  if (!Number.isFinite(value)) return '-';
  return value >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/**
 * @param {readonly Row[]} rows
 * @returns {string}
 */
export function tableOf(rows) {
  const head = ['scenario', 'figure', 'planroom', 'raw', 'ratio', 'wanted', 'reached'];
  const cells = rows.map((row) => [
    row.scenario,
    row.figure,
    round(row.planroom),
    round(row.raw),
    round(row.ratio),
    row.wanted || '-',
    row.reached === undefined ? '-' : row.reached ? 'yes' : 'NO',
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${row.map((cell, column) => (column >= 2 && column <= 4 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n');
}

/**
 * What was not reached, and what the rows remark.
 * @param {readonly Row[]} rows
 */
export function summaryOf(rows) {
  const missed = rows.filter((row) => row.reached === false);
  const lines = missed.map(
    (row) => `Not reached: ${row.scenario}, ${row.figure}: ${measured(row)}, wanted ${row.wanted}.`,
  );
  const remarks = rows.flatMap((row) => (row.remark ? [`${row.scenario}: ${row.remark}`] : []));
  if (rows.some((row) => row.reached !== undefined) && missed.length === 0)
    lines.push('Everything wanted was reached.');
  return [...lines, ...new Set(remarks)].join('\n');
}

/** @param {Row} row */
function measured({ planroom, raw, ratio }) {
  return Number.isFinite(ratio) ? `${round(planroom)} to ${round(raw)}, ratio ${round(ratio)}` : round(planroom);
}
