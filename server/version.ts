import { readFileSync } from 'node:fs';

/** Version of the package, from its package.json: beside `dist` when built, two folders up from here, or one from source. */
export function packageVersion(): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
      if (name === 'planroom') return String(version);
    } catch {
      // Not there: the next one is.
    }
  }
  return '0.0.0';
}
