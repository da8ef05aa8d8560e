import { describeEndpoint } from '../contract/endpoint-contract.ts';
import { openHttpCaller, openMutateCaller, openWebSocketCaller } from '../support/callers.ts';

describeEndpoint('HTTP', openHttpCaller);
describeEndpoint('WebSocket, read and call', openWebSocketCaller);
describeEndpoint('WebSocket, mutate', openMutateCaller);
