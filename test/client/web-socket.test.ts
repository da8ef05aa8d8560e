import { expect, it } from 'vitest';
import { checkOptions } from '../../client/sdk/connect.ts';
import { addressesOf } from '../../client/sdk/web-socket.ts';

it.each([
  ['http://127.0.0.1:4747', 'ws://127.0.0.1:4747/ws', 'http://127.0.0.1:4747'],
  ['ws://host:1/ws', 'ws://host:1/ws', 'http://host:1'],
  ['https://host/planroom/', 'wss://host/planroom/ws', 'https://host/planroom'],
  ['wss://[::1]:9/', 'wss://[::1]:9/ws', 'https://[::1]:9'],
])('%s is reached at %s and %s', (url, socketUrl, httpUrl) => {
  expect(addressesOf(url)).toEqual({ socketUrl, httpUrl });
});

it.each(['', 'localhost:4747', 'ftp://host', 'http://'])('%j is no address of a server', (url) => {
  expect(addressesOf(url)).toBeUndefined();
});

it('a person who mistypes an address or a name is told which', () => {
  expect(checkOptions({ url: 'nowhere' })).toMatchObject({ ok: false, error: expect.stringContaining('nowhere') });
  expect(checkOptions({ url: 'http://h', actor: 'a\nb' })).toMatchObject({
    ok: false,
    error: expect.stringContaining('actor name'),
  });
  expect(checkOptions({ url: 'http://h', actor: 'Ann B' }).ok).toBe(true);
});
