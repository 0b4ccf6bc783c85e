/** An invariant and what it says. */
export interface Invariant {
  readonly id: string;
  readonly holds: string;
}

/** INV: what no policy, fault or clock may break. */
export const INVARIANTS: readonly Invariant[] = [
  {
    id: 'INV-1',
    holds: 'Every request pairs calls and results, alternates speakers and begins with the user.',
  },
  {
    id: 'INV-2',
    holds: 'No request is longer than the window without an entry that says so; nothing is lost silently.',
  },
  { id: 'INV-3', holds: 'Clearing again changes nothing, the most recent results stay, tokens never grow.' },
  {
    id: 'INV-4',
    holds: 'A stored replacement has the same bytes in every later request and after a resume.',
  },
  { id: 'INV-5', holds: 'Tokens add up to the prompt, costs to the total, by cause and by layer.' },
  {
    id: 'INV-6',
    holds:
      'A read covers no byte that differs and no entry that has run out; a longer lifetime never reads less.',
  },
  { id: 'INV-7', holds: 'There is no fourth attempt after three failures; any success starts over.' },
  { id: 'INV-8', holds: 'An earlier threshold never compacts later; a failed compaction changes nothing.' },
  { id: 'INV-9', holds: 'Retries of a request that is too long get shorter each time, and end.' },
  { id: 'INV-10', holds: 'Budgets of files, skills, notes and the index are never exceeded.' },
  {
    id: 'INV-11',
    holds: 'A fork changes nothing in its parent; siblings are the same up to their directive.',
  },
  { id: 'INV-12', holds: 'At most one holds the lock of a dream; a failed dream puts its time back.' },
  { id: 'INV-13', holds: 'The same scenario and seed give the same bytes.' },
  {
    id: 'INV-14',
    holds:
      'Every message of the user since the last boundary is in the summary; a long one by head and tail.',
  },
  { id: 'INV-15', holds: 'Calls of a child are lost only if the call that started it was.' },
  { id: 'INV-16', holds: 'What the user did in a recording happens in every run of it.' },
];
