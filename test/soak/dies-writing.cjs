// Preloaded with --require: the program dies as by kill -9 while it writes a journal in the folder DIES_WRITING, once it has written
// DIES_AT bytes: in the middle of a line (DIES_HOW=torn), before it is on the disk (unsynced), or after that (synced).
const fs = require('node:fs');

const { DIES_WRITING: folder, DIES_AT: at, DIES_HOW: how } = process.env;
let room = Number(at);

const die = () => process.kill(process.pid, 'SIGKILL');

const open = fs.promises.open;
fs.promises.open = async (name, ...options) => {
  const handle = await open(name, ...options);
  if (!(name.startsWith(folder) && name.endsWith('.ndjson'))) return handle;
  const { write, datasync } = handle;
  handle.write = (bytes, offset, length, position) => {
    if (how === 'torn' && length >= room) {
      fs.writeSync(handle.fd, bytes, offset, room, position);
      die();
    }
    room -= length;
    return write.call(handle, bytes, offset, length, position);
  };
  handle.datasync = async () => {
    if (how === 'unsynced' && room <= 0) die();
    await datasync.call(handle);
    if (room <= 0) die();
  };
  return handle;
};
