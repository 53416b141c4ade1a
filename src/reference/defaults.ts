import { PAGE_SIZE } from '../api/paging.ts';
import { settings, settingTable } from '../config/settings.ts';

/** What a flag stands for where it is not given. */
export type Default = string | number;

/** By the command and its flag, where the flag alone does not say it. */
const byPlace: Readonly<Record<string, Default>> = {
  'sandbox serve --seed': 'small',
  'profiles add --dialect': settingTable.dialect.fallback,
  'sandbox serve --dialect': settingTable.dialect.fallback,
  'login --dialect': settingTable.dialect.fallback,
  'profiles add --idempotency-header': settingTable.idempotency_header.fallback,
};

/** By the flag. */
const byName: Readonly<Record<string, Default>> = {
  '--color': 'auto',
  '--page-size': PAGE_SIZE,
  '--concurrency': 4,
  '--max-deletes': 0,
  '--progress': 'auto',
  '--latency': 0,
  '--fault-seed': 1,
};

/**
 * What a flag that takes a value stands for where it is not given; `undefined` where that is nothing, or depends on
 * more than the command line.
 *
 * @param path the words of its command.
 * @param name `--limit`.
 */
export function defaultOf(path: readonly string[], name: string): Default | undefined {
  return byPlace[`${path.join(' ')} ${name}`] ?? byName[name] ?? fallbackOf(path, name);
}

/** Flags that all commands share give a setting, and the setting has a fallback. */
function fallbackOf(path: readonly string[], name: string): Default | undefined {
  if (path.length > 0) return undefined;
  const fallback = settings.find(({ flag }) => flag === name)?.fallback;
  return fallback !== undefined && /^\d+$/.test(fallback) ? Number(fallback) : fallback;
}
