import { Command } from '@commander-js/extra-typings';
import { formats } from './render/output.ts';

/**
 * The root command with every flag that all commands share. They are accepted before and after the
 * subcommand; no leaf may declare one of them again, because commander would give its value to the root.
 * Values stay texts here: the registry in config/settings.ts checks them, whatever their source.
 */
export function createRoot() {
  return new Command('innctl')
    .description('Administer who may do what in your hotels, and which hotels exist.')
    .option('-p, --profile <name>', 'use this profile')
    .option('--sandbox', 'work on the built-in sandbox (the same as --profile sandbox)')
    .option('--json', 'print one JSON document (the same as --output json)')
    .option('-o, --output <format>', `how results are printed: ${formats.join(', ')}`)
    .option('-n, --dry-run', 'print the write that would be sent, and send none')
    .option('-y, --yes', 'answer yes where a confirmation is asked')
    .option('--no-input', 'never ask; fail where something is missing')
    .option('--color <when>', 'auto, always or never')
    .option('-d, --debug', 'show each request and answer on stderr, credentials masked')
    .option(
      '--timeout <seconds>',
      'time for the whole command, retries included (default: 120 for each request)',
    )
    .option('--max-attempts <n>', 'tries for each request')
    .option('--ca-file <path>', 'trust the certificate authorities in this PEM file as well')
    .option('--max-body <MiB>', 'largest answer that is read')
    .option('--insecure-http', 'allow http to other hosts than this machine');
}

/** The flags that all commands share, as typed. */
export type GlobalOptions = ReturnType<ReturnType<typeof createRoot>['opts']>;
