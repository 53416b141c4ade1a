import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { foldersOf } from '../../src/config/file.ts';
import { placesOf } from '../../src/config/places.ts';

const linux = { env: {}, platform: 'linux', home: '/home/ana' } as const;
const windows = { env: {}, platform: 'win32', home: 'C:\\Users\\Ana' } as const;

test.each([
  {
    name: 'files are in the home folder by default',
    situation: linux,
    folders: { config: '/home/ana/.config/innctl', state: '/home/ana/.local/state/innctl' },
  },
  {
    name: 'XDG folders override the home folder',
    situation: { ...linux, env: { XDG_CONFIG_HOME: '/etc/ana', XDG_STATE_HOME: '/var/ana' } },
    folders: { config: '/etc/ana/innctl', state: '/var/ana/innctl' },
  },
  {
    name: 'relative and empty XDG folders are ignored',
    situation: { ...linux, env: { XDG_CONFIG_HOME: 'here', XDG_STATE_HOME: '' } },
    folders: { config: '/home/ana/.config/innctl', state: '/home/ana/.local/state/innctl' },
  },
  {
    name: 'INNCTL_CONFIG_DIR overrides all and contains the state',
    situation: { ...linux, env: { INNCTL_CONFIG_DIR: '/srv/innctl', XDG_STATE_HOME: '/var/ana' } },
    folders: { config: '/srv/innctl', state: '/srv/innctl/state' },
  },
  {
    name: 'an empty INNCTL_CONFIG_DIR is ignored',
    situation: { ...linux, env: { INNCTL_CONFIG_DIR: '' } },
    folders: { config: '/home/ana/.config/innctl', state: '/home/ana/.local/state/innctl' },
  },
  {
    name: 'XDG folders work without a home folder',
    situation: {
      ...linux,
      home: undefined,
      env: { XDG_CONFIG_HOME: '/etc/ana', XDG_STATE_HOME: '/var/ana' },
    },
    folders: { config: '/etc/ana/innctl', state: '/var/ana/innctl' },
  },
  {
    name: 'Windows has folders of its own',
    situation: { ...windows, env: { APPDATA: 'D:\\Profiles\\Ana', LOCALAPPDATA: 'E:/Local' } },
    folders: { config: 'D:\\Profiles\\Ana\\innctl', state: 'E:\\Local\\innctl' },
  },
  {
    name: 'Windows may keep profiles on a server, and a folder relative to a drive is ignored',
    situation: { ...windows, env: { APPDATA: '\\\\files\\profiles\\ana', LOCALAPPDATA: 'D:Local' } },
    folders: {
      config: '\\\\files\\profiles\\ana\\innctl',
      state: 'C:\\Users\\Ana\\AppData\\Local\\innctl',
    },
  },
])('$name', ({ situation, folders }) => {
  expect(foldersOf(situation)).toEqual(folders);
});

test('on Windows INNCTL_CONFIG_DIR has a drive and backslashes', () => {
  expect(placesOf({ ...windows, env: { INNCTL_CONFIG_DIR: 'D:\\innctl' } })).toEqual({
    config: 'D:\\innctl',
    state: 'D:\\innctl\\state',
    cache: 'D:\\innctl\\cache',
  });
});

test.each(['here', './here', '../here', '.', '~/innctl'])(
  'a relative INNCTL_CONFIG_DIR is rejected: %s',
  (folder) => {
    expect(() => foldersOf({ ...linux, env: { INNCTL_CONFIG_DIR: folder } })).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: `INNCTL_CONFIG_DIR: "${folder}" is a relative path; give the absolute one: ${resolve(folder)}`,
      }),
    );
  },
);

test.each([undefined, '', 'ana', './ana', '~'])(
  'without a home folder (%j) the error names the variable to set',
  (home) => {
    expect(() => foldersOf({ ...linux, home })).toThrow(
      expect.objectContaining({ exitCode: 2, hint: expect.stringContaining('INNCTL_CONFIG_DIR=') }),
    );
  },
);
