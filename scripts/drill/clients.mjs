// The published clients of a drill: how each is started against the server, and what is predicted of it.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claudeEnv } from '../clients/confine.mjs';
import { commandOf } from '../clients/fetch-clients.mjs';

const PROMPT = 'Do the work';

function claude(version, model, policy, set = []) {
  return {
    name: `Claude Code ${version}`,
    package: null,
    version,
    policy,
    set,
    env: claudeEnv,
    command: (_folder, scratch) => {
      const start = commandOf(version, scratch);
      return start === null
        ? null
        : [...start, '-p', PROMPT, '--model', model, '--dangerously-skip-permissions'];
    },
  };
}

/** A client whose package has a script by this name. */
function script(folder, name) {
  const path = join(folder, 'node_modules', name);
  return existsSync(path) ? path : null;
}

/** Every client of a drill. `command` is null where the client cannot be had. */
export const CLIENTS = [
  claude('2.0.76', 'claude-sonnet-4-5-20250929', 'claude-code/2.0.76'),
  claude('2.1.112', 'claude-sonnet-4-5-20250929', 'claude-code/2.1.112'),
  // With an API key its window for this model is 200,000 tokens.
  claude('2.1.326', 'claude-sonnet-4-6', 'claude-code/2.1.325', ['window.explicit=200000']),
  {
    name: 'Codex 0.169.0',
    package: '@openai/codex@0.169.0',
    policy: 'peers/codex-local',
    // What Codex takes the window of this model for.
    set: ['window=272000'],
    env: () => ({}),
    command(folder) {
      const bin = script(folder, '.bin/codex');
      if (bin === null) return null;
      const settings = [
        'model_provider="ccbench"',
        'model_providers.ccbench.name="ccbench"',
        'model_providers.ccbench.base_url="$OPENAI_BASE_URL"',
        'model_providers.ccbench.env_key="OPENAI_API_KEY"',
        'model_providers.ccbench.wire_api="responses"',
      ].map((setting) => `-c '${setting.replace('$OPENAI_BASE_URL', `'"$OPENAI_BASE_URL"'`)}'`);
      const flags = '--skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -m gpt-5.5';
      return ['sh', '-c', `exec '${bin}' exec ${flags} ${settings.join(' ')} '${PROMPT}' < /dev/null`];
    },
  },
  {
    name: 'Qwen Code 0.24.4',
    package: '@qwen-code/qwen-code@0.24.4',
    policy: 'peers/qwen-code',
    set: [],
    env: () => ({ OPENAI_MODEL: 'qwen3-coder-plus' }),
    command(folder) {
      const bin = script(folder, '.bin/qwen');
      return bin === null ? null : [process.execPath, bin, '-y', '-p', PROMPT, '--auth-type', 'openai'];
    },
  },
  {
    name: 'Gemini CLI 0.61.0',
    package: '@google/gemini-cli@0.61.0',
    policy: 'peers/gemini-cli',
    set: [],
    env: () => ({ GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
    command(folder, _scratch, home) {
      const bin = script(folder, '.bin/gemini');
      mkdirSync(join(home, '.gemini'), { recursive: true });
      const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
      writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings));
      return bin === null ? null : [process.execPath, bin, '-y', '-m', 'gemini-2.5-pro', '-p', PROMPT];
    },
  },
  {
    name: 'pi 0.73.1',
    package: '@mariozechner/pi-coding-agent@0.73.1',
    policy: 'peers/pi',
    set: [],
    env: () => ({}),
    command(folder, _scratch, home) {
      const bin = script(folder, '@mariozechner/pi-coding-agent/dist/cli.js');
      if (bin === null) return null;
      const settings = join(home, '.pi/agent/models.json');
      mkdirSync(join(home, '.pi/agent'), { recursive: true });
      writeFileSync(settings, '');
      const made = `{\\"providers\\":{\\"anthropic\\":{\\"baseUrl\\":\\"$ANTHROPIC_BASE_URL\\"}}}`;
      const start = `'${process.execPath}' '${bin}' -p --provider anthropic --model claude-sonnet-4-5 '${PROMPT}'`;
      return ['sh', '-c', `printf %s "${made}" > '${settings}'; exec ${start}`];
    },
  },
  {
    name: 'opencode 1.18.33',
    package: 'opencode-ai@1.18.33',
    policy: 'peers/opencode-1',
    set: [],
    env: () => ({}),
    command(folder) {
      const bin = script(folder, `opencode-${process.platform}-${process.arch}/bin/opencode`);
      return bin === null ? null : [bin, 'run', '-m', 'anthropic/claude-sonnet-4-5', PROMPT];
    },
  },
];
