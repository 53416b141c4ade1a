import { TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';

/**
 * When the certificate of a host comes to its end, in milliseconds since the epoch.
 *
 * @param connect as requests connect, through a proxy too.
 * @returns `undefined` for a host without TLS.
 */
export function certificateEnd(connect: buildConnector.connector, url: string): Promise<number | undefined> {
  const { protocol, hostname, host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    connect({ protocol, hostname, host, port, servername: hostname }, (cause, socket) => {
      if (cause !== null) return reject(cause);
      const end = socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : Number.NaN;
      socket.destroy();
      resolve(Number.isNaN(end) ? undefined : end);
    });
  });
}
