import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { writeResponse } from '../../server/endpoints/mcp/web.ts';
import { RawSocket } from '../support/raw-socket.ts';

test('a client that does not read its stream is cut off before what waits for it fills the memory', async () => {
  const frame = new Uint8Array(1024 * 1024).fill(0x20);
  let frames = 0;
  let written: Promise<void> | undefined;
  const server = createServer((_request, response) => {
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      frames += 1;
      controller.enqueue(frame);
      // Lets the socket take what it can.
      return new Promise((resolve) => setImmediate(resolve));
    };
    const headers = { 'content-type': 'text/event-stream' };
    written = writeResponse(new Response(new ReadableStream({ pull }), { headers }), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const closed = new Promise<void>((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
  const silent = await RawSocket.open((server.address() as AddressInfo).port);
  silent.socket.pause();
  silent.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await closed;
  await written;
  expect(frames).toBeGreaterThan(8);
  silent.socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
