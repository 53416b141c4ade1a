import { type Started, start } from './started.ts';

/** The configuration of an nginx server. */
export interface NginxServer {
  /** The certificate for TLS; without one it serves plain HTTP. */
  readonly certificate?: { readonly key: string; readonly cert: string };
  /** Further parameters of `listen`. */
  readonly listen?: string;
  /** Lines of the `server` block. */
  readonly server?: readonly string[];
  /** Lines of the `http` block. */
  readonly http?: readonly string[];
  /** Further files, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Starts nginx, which must be installed, with one server. */
export function startNginx({
  certificate,
  listen = '',
  server = [],
  http = [],
  files = {},
}: NginxServer): Promise<Started> {
  return start(({ folder, port }) => ({
    files: {
      ...files,
      'nginx.conf': [
        'daemon off; master_process off; pid nginx.pid; error_log stderr error;',
        'events { worker_connections 64; }',
        'http {',
        'access_log off;',
        ...['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`),
        ...http,
        'server {',
        `listen 127.0.0.1:${port}${certificate === undefined ? '' : ' ssl'} ${listen};`,
        ...(certificate === undefined
          ? []
          : [`ssl_certificate ${folder}/server.pem; ssl_certificate_key ${folder}/server.key;`]),
        ...server,
        '} }',
        '',
      ].join('\n'),
      ...(certificate === undefined ? {} : { 'server.pem': certificate.cert, 'server.key': certificate.key }),
    },
    command: ['nginx', '-p', folder, '-c', `${folder}/nginx.conf`, '-e', 'stderr'],
  }));
}
