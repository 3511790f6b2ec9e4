/**
 * AgentOS's `StateManager` over Patchwire's core: the same methods and shapes, for those who come from there.
 *
 * @module
 */
export {
  changeOf, StateManager, type BuiltinReducer, type DiagnosticsView, type GraphChange, type GraphState, type MemoryView, type ReducerFn, type StateReducers,
} from "./compat/agentos.js";
export type { MergeConflict } from "./values/merge.js";
export type { JSONPatchOperation } from "./types.js";
