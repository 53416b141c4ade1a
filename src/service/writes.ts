import { AsyncLocalStorage } from 'node:async_hooks';
import { isRecord } from '../model/records.ts';
import type { Answer, ServiceRequest } from './answer.ts';

/** One record that a write is about. */
export interface WriteRow {
  readonly name: string;
  readonly id?: string | undefined;
  /** Digest of what a creation asks for. */
  readonly hash?: string | undefined;
  /** As it was read before. */
  readonly before?: unknown;
  /** What is sent. */
  readonly after?: unknown;
}

/** What a write is about, as its caller knows it. */
export interface WriteAbout {
  readonly kind: string;
  readonly action: 'create' | 'change' | 'delete';
  readonly rows: readonly WriteRow[];
  readonly note?: string | undefined;
}

/** How a write ended. */
export interface WriteEnd {
  readonly error?: unknown;
  readonly answer?: Pick<Answer, 'status' | 'requestId'> | undefined;
  /** The id of what it created. */
  readonly id?: string | undefined;
}

/**
 * Keeps a write before it is sent, once no other process waits for an answer about the same records. Resolves once it is on the disk, with what keeps how it ended.
 *
 * @throws {CliError} `journal_failed`, exit 1, when it cannot be kept: then it must not be sent.
 */
export type Announce = (
  request: ServiceRequest,
  about: WriteAbout | undefined,
  signal: AbortSignal,
  /** Takes what says whether one of the records may be there though no read shows it. */
  hiding: (isHidden: () => boolean) => void,
) => Promise<(end: WriteEnd) => void>;

/** Announces writes, each before its first request. */
export type Writes = ReturnType<typeof createWrites>;

interface OneWrite {
  readonly about: WriteAbout | undefined;
  ended?: (end: WriteEnd) => void;
  isHidden?: () => boolean;
  answer?: WriteEnd['answer'];
}

/** The write under way. One for all: every storage costs each asynchronous call. */
const current = new AsyncLocalStorage<OneWrite>();

export function createWrites(announce: Announce) {
  return {
    /** Runs work that sends one write and finds out how it ended; inside another one it is a part of that. */
    async one<Result>(work: () => Promise<Result>, about?: WriteAbout): Promise<Result> {
      if (current.getStore() !== undefined) return work();
      const write: OneWrite = { about };
      try {
        const result = await current.run(write, work);
        const id = isRecord(result) && typeof result['id'] === 'string' ? result['id'] : undefined;
        write.ended?.({ answer: write.answer, id });
        return result;
      } catch (error) {
        write.ended?.({ answer: write.answer, error });
        throw error;
      }
    },
    /** Announces the write that is under way, once. */
    async announce(request: ServiceRequest, signal: AbortSignal): Promise<void> {
      const write = current.getStore();
      if (write === undefined) throw new Error(`${request.does} is sent outside of a write`);
      write.ended ??= await announce(request, write.about, signal, (isHidden) => {
        write.isHidden = isHidden;
      });
    },
    /** Whether what the write under way is about may be there though no read shows it. */
    isHidden: (): boolean => current.getStore()?.isHidden?.() === true,
    /** Keeps the last answer to the write that is under way. */
    answered(answer: Pick<Answer, 'status' | 'requestId'>): void {
      const write = current.getStore();
      if (write !== undefined) write.answer = answer;
    },
  };
}
