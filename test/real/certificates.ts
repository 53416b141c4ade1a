import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A key and its certificate, as PEM texts. */
interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

/** A certificate authority of its own in a folder. Needs the `openssl` command. */
export interface Authority {
  /** PEM text, for --ca-file. */
  readonly cert: string;
  readonly file: string;
  /** The authority itself as a server. */
  readonly selfSigned: KeyPair;
  /**
   * A certificate for a server.
   *
   * @param names as openssl writes them: `DNS:localhost,IP:127.0.0.1`.
   * @param until `YYYYMMDDHHMMSSZ`; far in the future when left out.
   */
  issue(names: string, until?: string): KeyPair;
}

/** Makes an authority whose files live in `folder`. */
export function createAuthority(folder: string): Authority {
  const openssl = (...args: readonly string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=Hotels CA',
    '-days',
    '2',
  );
  writeFileSync(
    join(folder, 'ca.cnf'),
    '[ca]\ndatabase=index.txt\nnew_certs_dir=.\ndefault_md=sha256\npolicy=any\nserial=serial\nunique_subject=no\n[any]\ncommonName=supplied\n',
  );
  writeFileSync(join(folder, 'index.txt'), '');
  writeFileSync(join(folder, 'serial'), '01\n');
  return {
    cert: read('ca.pem'),
    file: join(folder, 'ca.pem'),
    selfSigned: { key: read('ca.key'), cert: read('ca.pem') },
    issue(names, until = '20991231235959Z') {
      openssl('req', '-new', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=server');
      writeFileSync(join(folder, 'server.ext'), `subjectAltName=${names}\n`);
      const signing = [
        '-keyfile',
        'ca.key',
        '-cert',
        'ca.pem',
        '-in',
        'server.csr',
        '-extfile',
        'server.ext',
      ];
      const dates = ['-startdate', '20200101000000Z', '-enddate', until];
      openssl(
        'ca',
        '-batch',
        '-notext',
        '-name',
        'ca',
        '-config',
        'ca.cnf',
        ...signing,
        ...dates,
        '-out',
        'server.pem',
      );
      return { key: read('server.key'), cert: read('server.pem') };
    },
  };
}
