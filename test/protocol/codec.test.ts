import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../../shared/plan/limits.ts';
import { closeCodes, shouldReconnect } from '../../shared/protocol/close-code.ts';
import { decodeFrame, parseJson } from '../../shared/protocol/codec.ts';
import { errorKinds, isErrorCode } from '../../shared/protocol/error-code.ts';
import { actorSchema, isRoomName, mutationIdSchema, roomNameSchema } from '../../shared/protocol/names.ts';

/** The code of the frame's fault, or of each message's, or the type of a good message. */
function brief(text: string): string | string[] {
  const decoded = decodeFrame(text);
  if (!decoded.ok) return decoded.error.code;
  return decoded.value.map((message) => (message.ok ? message.value.type : message.error.code));
}

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('decodeFrame', () => {
  test('one message, or an array of them, in order', () => {
    expect(brief('{"type":"ping"}')).toEqual(['ping']);
    expect(brief(' [ {"type":"ping"} , {"type":"watch"} ] ')).toEqual(['ping', 'watch']);
    expect(brief('[]')).toEqual([]);
  });

  test('a frame of exactly as many messages as may be, and of one more', () => {
    const frame = (count: number): string => `[${Array.from({ length: count }, () => '{"type":"ping"}')}]`;
    expect(brief(frame(limits.messagesPerFrameMax))).toHaveLength(limits.messagesPerFrameMax);
    expect(brief(frame(limits.messagesPerFrameMax + 1))).toBe('too_large');
  });

  test('nesting at the bound, and one level past it', () => {
    const { jsonDepthMax } = limits;
    expect(parseJson(nested(jsonDepthMax), jsonDepthMax).ok).toBe(true);
    expect(parseJson(nested(jsonDepthMax + 1), jsonDepthMax)).toMatchObject({ error: { code: 'too_deep' } });
    const read = (depth: number): string =>
      `[{"type":"read","id":"r","operation":"o","input":{"a":${nested(depth - 3)}}}]`;
    expect(brief(read(jsonDepthMax))).toEqual(['read']);
    expect(brief(read(jsonDepthMax + 1))).toBe('too_deep');
  });

  test('a text of too many values is refused before it is made; separators in strings are none', () => {
    const { jsonValuesMax, jsonDepthMax } = limits;
    const array = (count: number): string => `[${'1,'.repeat(count - 1)}1]`;
    expect(parseJson(array(jsonValuesMax), jsonDepthMax)).toMatchObject({ ok: true });
    expect(parseJson(array(jsonValuesMax + 1), jsonDepthMax)).toMatchObject({ error: { code: 'too_large' } });
    expect(parseJson(`["${',:'.repeat(jsonValuesMax)}"]`, jsonDepthMax)).toMatchObject({ ok: true });
  });

  test.each([1, 2, 3, 4, 5, 1_000, 1_001])('%i backslashes before a quote end a string, or not', (count) => {
    const { jsonDepthMax } = limits;
    const text = `["${'\\'.repeat(count)}"${count % 2 === 0 ? '' : '"'},${nested(jsonDepthMax)}]`;
    expect(parseJson(text, jsonDepthMax)).toMatchObject({ error: { code: 'too_deep' } });
    const inside = `["${'\\'.repeat(count)}${count % 2 === 0 ? '\\' : ''}"${nested(jsonDepthMax)}"]`;
    expect(parseJson(inside, jsonDepthMax)).toMatchObject({ ok: true });
  });

  test('brackets in strings are no nesting, escaped quotes do not end a string', () => {
    const text = JSON.stringify({
      a: '['.repeat(100),
      b: '\\"[[[['.repeat(20),
      c: `${'\\'.repeat(7)}"${'{'.repeat(50)}`,
    });
    expect(parseJson(text, 1)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  test.each([
    '{"type":"ping","__proto__":{}}',
    '{"type":"ping","\\u005f_proto__":{}}',
    '{"type":"ping","\\u005F\\u005Fproto\\u005f\\u005f":{}}',
    '{"type":"read","id":"r","operation":"o","input":{"a":[{"__proto__":1}]}}',
  ])('the key __proto__ is refused: %s', (text) => {
    const decoded = decodeFrame(text);
    expect(decoded).toMatchObject({ value: [{ ok: false, error: { code: 'bad_message' } }] });
    expect(JSON.stringify(decoded)).toContain(`'__proto__'`);
  });

  test('the text __proto__ is no key', () => {
    expect(brief('{"type":"presence","room":"a","on":"__proto__"}')).toEqual(['presence']);
  });

  test.each(['"\\ud800"', '"\\udc00\\ud800"', '"a\\uD83Db"', '{"\\ud800":1}'])('%s is no text', (value) => {
    const text = `{"type":"read","id":"r","operation":"o","input":{"a":${value}}}`;
    expect(decodeFrame(text)).toMatchObject({ value: [{ error: { code: 'bad_message', id: 'r', type: 'read' } }] });
  });

  test('a pair of surrogates is one character, written as an escape or not', () => {
    expect(brief('{"type":"presence","room":"a","on":"\\ud83d\\ude00"}')).toEqual(['presence']);
    expect(brief('{"type":"presence","room":"a","on":"😀"}')).toEqual(['presence']);
  });

  test.each(['1e400', '-1e400', '1.5', '-1', '9007199254740992', '"1"', 'null', 'true'])(
    '%s is no revision',
    (number) => {
      expect(brief(`{"type":"join","room":"a","since":{"epoch":"e","revision":${number}}}`)).toEqual(['bad_message']);
    },
  );

  test('a fault says whom to answer, as far as that can be read', () => {
    const fault = (text: string): unknown => {
      const decoded = decodeFrame(text);
      return decoded.ok && decoded.value[0] && !decoded.value[0].ok ? decoded.value[0].error : decoded;
    };
    expect(fault('{"type":"mutate","room":"a","id":"m","mutation":{}}')).toMatchObject({
      type: 'mutate',
      room: 'a',
      id: 'm',
    });
    expect(fault('{"type":"mutate","room":7,"id":"\\ud800"}')).not.toHaveProperty('id');
    expect(fault(`{"type":"mutate","id":"${'i'.repeat(65)}"}`)).not.toHaveProperty('id');
    expect(fault('{"type":"join","room":"Bad"}')).toMatchObject({ code: 'bad_room_name', room: 'Bad' });
    expect(fault('{"type":"join","room":"Bad","loud":1}')).toMatchObject({ code: 'bad_message' });
  });

  test('what is allowed is said', () => {
    expect(JSON.stringify(decodeFrame('{"type":"shout"}'))).toMatch(/hello.*join.*ping/);
    expect(JSON.stringify(decodeFrame('{"type":"ping","loud":1}'))).toContain('loud');
  });

  test('it never throws, and gives as many messages as there are', () => {
    const spice = fc.constantFrom(
      '__proto__',
      '\ud800',
      'type',
      'mutate',
      'join',
      '[',
      '{',
      '"',
      '\\u',
      'room',
      '1e400',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), spice)), (parts) => {
        decodeFrame(parts.join(''));
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
        const decoded = decodeFrame(JSON.stringify(value));
        if (decoded.ok) expect(decoded.value).toHaveLength(Array.isArray(value) ? value.length : 1);
      }),
      { numRuns: 500 },
    );
    const message = fc.record(
      {
        type: fc.constantFrom('hello', 'join', 'leave', 'mutate', 'presence', 'watch', 'read', 'call', 'ping'),
        room: fc.oneof(fc.string(), fc.constant('room'), fc.jsonValue()),
        id: fc.oneof(fc.string(), fc.jsonValue()),
        mutation: fc.jsonValue(),
        since: fc.jsonValue(),
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), (messages) => {
        for (const decoded of [decodeFrame(JSON.stringify(messages))].flatMap((frame) =>
          frame.ok ? frame.value : [],
        )) {
          if (!decoded.ok) expect(errorKinds[decoded.error.code].httpStatus).toBe(400);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('names', () => {
  test.each(['a', '0', 'a-b', 'a_b', 'a'.repeat(100), 'constructor'])('%s is a room name', (name) => {
    expect([isRoomName(name), roomNameSchema.safeParse(name).success]).toEqual([true, true]);
  });

  test.each(['', '-a', '_a', 'A', 'a b', 'a.b', 'a/b', 'é', 'a\n', '__proto__', 'a'.repeat(101)])(
    '%j is none',
    (name) => {
      expect([isRoomName(name), roomNameSchema.safeParse(name).success]).toEqual([false, false]);
    },
  );

  test('actors: at the bound and past it, in bytes; one line; not blank', () => {
    for (const name of ['a', 'Ann Lee', 'é'.repeat(64), '😀'.repeat(32), 'x'.repeat(128)]) {
      expect(actorSchema.safeParse(name).success, name).toBe(true);
    }
    for (const name of ['', ' ', 'é'.repeat(65), 'x'.repeat(129), 'a\nb', 'a\u0000', 'a\u2028b', '\ud800', 'a\u007f']) {
      expect(actorSchema.safeParse(name).success, JSON.stringify(name)).toBe(false);
    }
  });

  test('ids: printable ASCII, at the bound and past it', () => {
    for (const id of ['m', '!~', 'x'.repeat(64)]) expect(mutationIdSchema.safeParse(id).success, id).toBe(true);
    for (const id of ['', 'a b', 'é', 'a\n', 'x'.repeat(65)])
      expect(mutationIdSchema.safeParse(id).success, id).toBe(false);
  });
});

describe('codes', () => {
  test('after its own lasting faults a client stays away, after all else it comes back', () => {
    const stay = Object.entries(closeCodes).filter(([, code]) => !shouldReconnect(code));
    expect(stay.map(([name]) => name)).toEqual([
      'brokenWebSocket',
      'badText',
      'tooManyFragments',
      'tooLarge',
      'protocolFault',
      'refused',
    ]);
    for (const code of [1000, 1005, 1006, 1011, 1012, 4999]) expect(shouldReconnect(code)).toBe(true);
  });

  test('a close code means one thing', () => {
    const codes = Object.values(closeCodes);
    expect(new Set(codes).size).toBe(codes.length);
  });

  test('an error code is one of the list, and nothing it inherits', () => {
    expect(['busy', 'store_full', 'bad_frame'].every(isErrorCode)).toBe(true);
    expect(['toString', '__proto__', ''].some(isErrorCode)).toBe(false);
  });
});
