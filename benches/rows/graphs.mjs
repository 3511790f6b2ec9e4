// Branches of a graph that ran at once, and the state after them, beside AgentOS's own StateManager.
import { applyPatch } from 'patchwire';
import { changeOf, StateManager } from 'patchwire/agentos';
import { peerModule } from '../peers.mjs';

const reducers = { 'scratch.messages': 'concat', 'scratch.tokens': 'sum', 'scratch.best': 'longest' };

/**
 * A state of notes and messages, and branches of it as GraphRuntime makes them: copies, each with its own writes. The first one
 * has spent `spent` tokens, each of the others ten more than the one before it.
 */
function fanOut(manager, { notes, messages, branches, spent = 0 }) {
  const scratch = { tokens: 0, best: '', messages: Array.from({ length: messages }, (_, n) => ({ role: 'tool', n, text: `what tool ${n} found out` })) };
  for (let i = 0; i < notes; i++) scratch[`note${i}`] = { id: i, title: `Note ${i}`, text: 'x'.repeat(400) };
  const base = { ...manager.initialize({}), scratch };
  const branch = (i) => {
    const message = { role: 'tool', n: messages + i, text: 'found more' };
    const written = { [`out${i}`]: { done: true, i }, tokens: spent + 10 * i, messages: [...scratch.messages, message] };
    return { ...base, scratch: { ...scratch, ...written } };
  };
  return [base, Array.from({ length: branches }, (_, i) => branch(i))];
}

function merged(name, sizes, target) {
  return {
    name: `mergeParallelBranches: ${name}`,
    target,
    async contenders() {
      const { StateManager: Theirs } = await peerModule('@framers/agentos', '0.9.164', 'dist/orchestration/runtime/StateManager.js');
      const [ours, theirs] = [new StateManager(reducers), new Theirs(reducers)];
      const [base, branches] = fanOut(ours, sizes);
      const state = ours.mergeParallelBranches(base, branches);
      const isWhole = state.scratch.messages.length === sizes.messages + sizes.branches && state.scratch.tokens === base.scratch.tokens + branches.reduce((sum, { scratch }) => sum + scratch.tokens, 0);
      if (!isWhole || JSON.stringify(applyPatch(base, changeOf(state).patch)) !== JSON.stringify(state)) throw new Error('another state was merged');
      return {
        ours: { name: 'patchwire', step: () => ours.mergeParallelBranches(base, branches) },
        peers: [{ name: 'AgentOS, which counts the base again', step: () => theirs.mergeParallelBranches(base, branches) }],
      };
    },
  };
}

export const graphs = [
  merged('2 branches, 10 notes, 5 messages', { branches: 2, notes: 10, messages: 5 }, 1),
  merged('2 branches, both of which spent tokens, 10 notes, 5 messages', { branches: 2, notes: 10, messages: 5, spent: 10 }, 1),
  merged('8 branches, 200 notes (100 KB), 20 messages', { branches: 8, notes: 200, messages: 20 }, 1),
  merged('8 branches, 1,000 notes (500 KB), 20 messages', { branches: 8, notes: 1000, messages: 20 }, 1),
];
