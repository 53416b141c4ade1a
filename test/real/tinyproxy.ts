import { type Started, start } from './started.ts';

/**
 * Starts tinyproxy, which must be installed.
 *
 * @param settings further lines of its configuration.
 */
export function startTinyproxy(...settings: readonly string[]): Promise<Started> {
  return start(({ port }) => {
    const lines = [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 20', 'MaxClients 20', ...settings, ''];
    return {
      files: { 'tinyproxy.conf': lines.join('\n') },
      command: ['tinyproxy', '-d', '-c', 'tinyproxy.conf'],
    };
  });
}
