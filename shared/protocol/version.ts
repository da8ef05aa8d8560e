/**
 * Version of the WebSocket protocol, sent in `hello`. Fields are added, never re-meant; readers ignore unknown fields of
 * the server's messages. Only a change that an older client cannot live with raises the number.
 *
 * 1 (2026-11-30): first version.
 */
export const protocolVersion = 1;
