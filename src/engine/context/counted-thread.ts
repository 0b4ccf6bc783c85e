import type { CountPart } from '../../core/run/parts.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import type { Counted } from '../counting/seen-counter.js';
import type { Context } from './context.js';

/** A thread's conversation as its counter may ask about it. */
export class CountedThread implements Counted {
  private prefix: Context['prefix'] | null = null;
  private system = 0;
  private tools = 0;

  constructor(
    private readonly context: Context,
    private readonly model: { readonly row: ModelRow },
    private readonly client: { readonly dropsThinking: boolean },
  ) {}

  get dropsReasoning(): boolean {
    return this.client.dropsThinking && this.model.row.thinking !== 'keep-all';
  }

  get trueTokens(): number {
    return this.context.trueTokens;
  }

  prefixRough(parts: CountPart['includes']): number {
    if (this.prefix !== this.context.prefix) this.measure();
    return (parts.includes('system') ? this.system : 0) + (parts.includes('tools') ? this.tools : 0);
  }

  private measure(): void {
    this.prefix = this.context.prefix;
    this.system = 0;
    this.tools = 0;
    for (const { kind, rough } of this.prefix) {
      if (kind === 'tools') this.tools += rough;
      else this.system += rough;
    }
  }
}
