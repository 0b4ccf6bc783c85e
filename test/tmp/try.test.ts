import { it } from 'vitest';
import { generateTranscript } from '../../src/transcript/synthetic/generate-transcript.js';
import { ofType, planOf, runLog } from '../helpers/plan.js';
it('x', () => {
  for (const set of [{}, {'agents.warmFirst': true}, {'agents.layout':'own-system'},{'agents.layout':'own-results'}]) for (const delayMinutes of [0, 7]) {
  const t = generateTranscript({ workload: 'bugfix', turns: 40, seed: 1, text:'none', steady: {gapSeconds: 20, outputTokens: 500, resultTokens: 2500}, forks: [{afterTurn: 39, children: 8, turns: 3, delayMinutes}] });
  const log = runLog(planOf({policy:'claude-code/2026', set: {...set, 'microcompact.cached.enabled': false, 'microcompact.apiNative.enabled': false}}), t);
  const r = ofType(log,'request').filter(e=>e.thread.startsWith('fork') && e.purpose==='subagent' && e.turn===1);
  console.log(JSON.stringify(set), delayMinutes, r.map(e=>`${e.t} ${e.prompt} ${e.read} ${e.cause} ${(e.cost/1e9).toFixed(3)}`).join('\n'));
  }
});
