import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collapse, fold, isBlank, isWellFormed, joinNames, trim } from '../../shared/plan/text.ts';

describe('text', () => {
  test('white space is what Unicode calls so: U+0085 is, U+FEFF and U+200B are not', () => {
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      const text = String.fromCharCode(unit);
      expect(isBlank(text), unit.toString(16)).toBe(/^\p{White_Space}$/u.test(text));
      expect(trim(`${text}a${text}`) === 'a', unit.toString(16)).toBe(/^\p{White_Space}$/u.test(text));
    }
    expect(isBlank('')).toBe(true);
  });

  test('trimming takes both ends off and leaves the middle', () => {
    const piece = fc.constantFrom(' ', '\t', '\u0085', '\u3000', '\ufeff', 'a', '\n');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        expect(trim(text)).toBe(text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, ''));
      }),
    );
  });

  test('a long run of blanks inside a text costs no more than its length', () => {
    const text = `a${' '.repeat(2_000_000)}b`;
    const start = performance.now();
    expect(trim(text)).toBe(text);
    expect(collapse(text)).toBe('a b');
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  test('folding compares what people mean', () => {
    expect(fold('  Write\n the\u0085TESTS ')).toBe('write the tests');
    expect(collapse(' A\r\n b ')).toBe('A b');
  });

  test('lone surrogates are found, pairs are not', () => {
    expect(isWellFormed('a😀\ufeff')).toBe(true);
    for (const text of ['\ud83d', '\ude00', '\ude00\ud83d', 'a\ud83db']) expect(isWellFormed(text)).toBe(false);
  });

  test('[S0.3] names are joined as a sentence has them', () => {
    expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(joinNames)).toEqual([
      '',
      "'a'",
      "'a' and 'b'",
      "'a', 'b', and 'c'",
    ]);
  });
});
