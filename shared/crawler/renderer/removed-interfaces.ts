/**
 * Removes what opens connections that no request announces: WebRTC, WebTransport, service workers. Pages find that the
 * browser does not have them. Runs in each document and worker before its own scripts.
 */
export const REMOVED_INTERFACES = `for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[name];
if (globalThis.Navigator) delete Navigator.prototype.serviceWorker;`;
