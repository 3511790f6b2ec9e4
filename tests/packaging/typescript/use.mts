import { applyChangeRequest, compact, filterPatch, PatchwireError, StateTracker, type Dialect, type Limits, type StepWrites } from 'patchwire';
import { connect, type SyncStatus } from 'patchwire/client';
import { DurableStateStore, SyncedState, memoryStorage, type DurableContext, type ToolCall } from 'patchwire/durable-objects';
import { useSyncedState, useSyncStatus } from 'patchwire/react';

interface State {
  notes: { text: string }[];
  draft: string;
}

const limits: Limits = { depth: 10 };
const tracker = new StateTracker<State>({ notes: [], draft: '' }, { limits });
tracker.update((draft) => {
  draft.notes.push({ text: 'b' });
  // @ts-expect-error: the package's types reach whoever installs it.
  draft.missing = undefined;
});
export const writes: StepWrites = tracker.getStepWrites();
export const code = (error: unknown) => (error instanceof PatchwireError ? error.code : undefined);

const client = connect<State>({ url: '/session/demo' });
export const first: string | undefined = client.getState()?.notes[0]?.text;
client.subscribe<string>('/draft', (draft) => draft?.length);
client.subscribe('/notes', (notes) => notes?.map(({ text }) => text));
export const text: string | undefined = client.get('/notes/0/text');
export const given: number | undefined = client.get<number>('/not/said');
export const unsaid: unknown = connect({ url: '/session/demo', snapshot: undefined, onError: undefined }).get('/a/b');
// @ts-expect-error: what comes from a state is frozen.
client.get('/notes')?.push({ text: 'c' });
// @ts-expect-error: a draft is a text.
export const wrong: number | undefined = client.get('/draft');
export const texts = () => (useSyncedState(client, '/notes') ?? []).map(({ text }) => text);

export function Notes(): [string | undefined, number, SyncStatus] {
  // @ts-expect-error: a note has a text.
  useSyncedState(client, (state) => state?.notes[0]?.txt);
  return [useSyncedState(client)?.draft, useSyncedState(client, (state) => state?.notes.length ?? 0), useSyncStatus(client)];
}

export function answer(ctx: DurableContext, request: { url: string; method: string; headers: { get(name: string): string | null } }) {
  const state = new SyncedState<State>(ctx, { initial: { notes: [], draft: '' } });
  // @ts-expect-error: a note has a text.
  state.update((draft) => void draft.notes.push({ txt: 'a' }));
  return state.fetch(request);
}

/** Options that aren't asked for may be there as `undefined`. */
export function unasked(dialect: Dialect | undefined, limits: Limits | undefined, include: string[] | undefined) {
  const texts = [tracker.getPatchText({ dialect }), tracker.getRFC6902Patches({ dialect }), compact([], { limits }), filterPatch([], { include }, { limits })];
  return [texts, applyChangeRequest({ a: 1 }, {}, { allow: include, dialect, limits })];
}

export async function run(): Promise<string | undefined> {
  const calls: ToolCall<State, string>[] = [{ toolCallId: 'a', run: async () => 'done' }];
  const { results } = await new DurableStateStore(memoryStorage()).parallel('s', 'step', calls, { expectedVersion: undefined });
  return results[0]?.status === 'fulfilled' ? results[0].value : undefined;
}
