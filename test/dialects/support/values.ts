/** Fills the values of a case: `${NAME}` in texts, and `$repeat`, `$concat`, `$lines`, `$times`. */
export function fill(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return value.replace(/\$\{(\w+)\}/g, (whole, name) => names[name] ?? whole);
  if (Array.isArray(value)) return value.map((entry) => fill(entry, names));
  if (typeof value !== 'object' || value === null) return value;
  const { $repeat, $concat, $lines, $times } = value as Record<string, unknown[]>;
  if ($repeat) return String(fill($repeat[0], names)).repeat(Number($repeat[1]));
  if ($concat) return $concat.map((part) => fill(part, names)).join('');
  if ($lines) return $lines.map((line) => `${fill(line, names)}\n`).join('');
  if ($times) {
    return Array.from({ length: Number($times[0]) }, (_, index) => fill($times[1], { ...names, i: String(index + 1) }));
  }
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fill(entry, names)]));
}
