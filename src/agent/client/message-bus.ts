import type { Files } from '../../core/base/files.js';
import { entryOf } from '../../core/base/once.js';
import type { AgentMessage, MessageSubject } from '../../core/model/transcript.js';

/** A message on its way. */
export interface Envelope extends AgentMessage {
  readonly id: number;
  readonly from: string;
  readonly sentMs: number;
}

/** A word that lets an agent which waits for its plan's approval go on (C36). */
export interface PlanAnswer {
  readonly to: string;
  readonly subject: MessageSubject;
  readonly atMs: number;
}

/** An agent that can be written to. */
interface Agent {
  readonly session: string;
  readonly isMain: boolean;
  readonly state: 'expected' | 'open' | 'closed';
}

/** What became of all messages so far; sent = delivered + waiting + returned + lost. */
export interface MailTotals {
  readonly sent: number;
  readonly delivered: number;
  readonly late: number;
  /** In a queue or mailbox when the run ended. */
  readonly waiting: number;
  /** To nobody that is known: the sender gets an error. */
  readonly returned: number;
  readonly lost: number;
  /** Messages in mailboxes that cannot be read: left where they are. */
  readonly broken: number;
}

/** Where the mailboxes of a team and the bridge between sessions are kept. */
const MAIL_DIRECTORY = '/mail';

/** Messages that an agent which waits for an approval goes on with. */
const ENDS_WAITING: ReadonlySet<MessageSubject> = new Set([
  'plan-response',
  'plan-rejection',
  'shutdown-request',
]);

const NO_ANSWERS: readonly PlanAnswer[] = [];

/** Messages between agents (AGT-4): queues in the process, mailbox files for a team, a bridge between sessions. */
export class MessageBus {
  private readonly agents = new Map<string, Agent>();
  private readonly queues = new Map<string, Envelope[]>();
  private readonly open = new Map<number, Envelope>();
  private readonly boxes = new Map<string, 'empty' | 'full'>();
  private readonly brokenLines = new Set<string>();
  /** How often a plan has been turned down so far, by its author and its judge. */
  private readonly rejected = new Map<string, number>();
  private answers: PlanAnswer[] = [];
  private count = 0;
  private delivered = 0;
  private late = 0;
  private returned = 0;

  /** Makes an agent known. */
  register(agent: string, session: string, isMain: boolean): void {
    if (!this.agents.has(agent)) this.agents.set(agent, { session, isMain, state: 'expected' });
  }

  /** The agent is at work from here on. */
  arrive(agent: string): void {
    const known = this.agents.get(agent);
    if (known !== undefined) this.agents.set(agent, { ...known, state: 'open' });
  }

  /** The agent has ended: what still waits for it goes to its mailbox, so that nothing is lost. */
  leave(agent: string, files: Files, nowMs: number): void {
    const known = this.agents.get(agent);
    if (known === undefined) return;
    this.agents.set(agent, { ...known, state: 'closed' });
    for (const envelope of this.queues.get(agent) ?? []) this.drop(envelope, agent, files, nowMs);
    this.queues.delete(agent);
  }

  /** Sends a message; returns how many agents it is for. Nobody: it comes back to the sender. */
  send(from: string, message: AgentMessage, files: Files, nowMs: number): number {
    const recipients = this.recipientsOf(from, message);
    if (recipients.length === 0) {
      this.count++;
      this.returned++;
    }
    for (const to of recipients) {
      const { way, subject, tokens, rejections = 0 } = message;
      const own = { id: ++this.count, from, to, way, subject, tokens, sentMs: nowMs };
      const envelope: Envelope = rejections === 0 ? own : { ...own, rejections };
      if (ENDS_WAITING.has(subject)) this.answers.push({ to, subject, atMs: nowMs });
      this.open.set(envelope.id, envelope);
      const isQueued = way === 'process' && this.agents.get(to)!.state !== 'closed';
      if (isQueued) this.queues.set(to, [...(this.queues.get(to) ?? []), envelope]);
      else this.drop(envelope, to, files, nowMs);
    }
    return recipients.length;
  }

  /** The answer a message calls for, or null: a plan is turned down as often as its message says, then approved. */
  replyTo({ subject, from, to, way, tokens, rejections = 0 }: Envelope): AgentMessage | null {
    if (way === 'bridge') return null;
    if (subject === 'shutdown-request') return { to: from, way, subject: 'shutdown-response', tokens };
    if (subject !== 'plan-request') return null;
    const key = `${from}\n${to}`;
    const before = this.rejected.get(key) ?? 0;
    const isRejected = before < rejections;
    this.rejected.set(key, isRejected ? before + 1 : 0);
    return { to: from, way, subject: isRejected ? 'plan-rejection' : 'plan-response', tokens };
  }

  /** What was sent since the last asking that lets agents go on with their plans. */
  takeAnswers(): readonly PlanAnswer[] {
    if (this.answers.length === 0) return NO_ANSWERS;
    const { answers } = this;
    this.answers = [];
    return answers;
  }

  /** True when something may wait for an agent; never wrong when it says no. */
  hasMail(agent: string, files: Files): boolean {
    let box = this.boxes.get(agent);
    if (box === undefined) {
      box = (files.read(mailbox(agent))?.text ?? '') === '' ? 'empty' : 'full';
      this.boxes.set(agent, box);
    }
    return box === 'full' || this.queues.has(agent);
  }

  /** Hands over what waits for an agent (at its next tool round); half-written messages stay where they are. */
  take(
    agent: string,
    files: Files,
    nowMs: number,
    lateMs: number,
  ): {
    readonly envelopes: readonly Envelope[];
    readonly late: number;
    readonly broken: number;
    /** What the mailbox keeps; null when it has not changed. */
    readonly rest: string | null;
  } {
    const queued = this.queues.get(agent) ?? [];
    this.queues.delete(agent);
    this.boxes.set(agent, 'empty');
    const text = files.read(mailbox(agent))?.text ?? '';
    const { envelopes: boxed, rest } = readMailbox(text);
    let broken = 0;
    for (const line of rest.split('\n').filter((item) => item !== '')) {
      const key = `${agent}\n${line}`;
      if (!this.brokenLines.has(key)) broken++;
      this.brokenLines.add(key);
    }
    const envelopes = [...queued, ...boxed].filter(({ id }) => this.open.delete(id));
    const late = envelopes.filter(({ sentMs }) => nowMs - sentMs > lateMs).length;
    this.delivered += envelopes.length;
    this.late += late;
    return { envelopes, late, broken, rest: rest === text ? null : rest };
  }

  /** What became of everything: a message that is neither delivered nor anywhere to be found is lost. */
  totals(files: Files): MailTotals {
    const found = new Set<number>();
    for (const queue of this.queues.values()) for (const { id } of queue) found.add(id);
    for (const path of files.list(MAIL_DIRECTORY))
      for (const { id } of readMailbox(files.read(path)!.text).envelopes)
        if (this.open.has(id)) found.add(id);
    return {
      sent: this.count,
      delivered: this.delivered,
      late: this.late,
      waiting: found.size,
      returned: this.returned,
      lost: this.open.size - found.size,
      broken: this.brokenLines.size,
    };
  }

  private drop(envelope: Envelope, agent: string, files: Files, nowMs: number): void {
    const path = mailbox(agent);
    this.boxes.set(agent, 'full');
    files.write(path, `${files.read(path)?.text ?? ''}${JSON.stringify(envelope)}\n`, nowMs);
  }

  private recipientsOf(from: string, { to, way }: AgentMessage): readonly string[] {
    const session = this.agents.get(from)?.session;
    const reach = [...this.agents].filter(
      ([name, agent]) =>
        name !== from &&
        (way === 'bridge' ? agent.session !== session && agent.isMain : agent.session === session),
    );
    if (to === '*') return reach.map(([name]) => name);
    return reach
      .filter(([name, agent]) =>
        way === 'bridge' ? agent.session === to : name === to || name === `${session}/${to}`,
      )
      .map(([name]) => name);
  }
}

/** The mailbox file of an agent. */
export function mailbox(agent: string): string {
  return `${MAIL_DIRECTORY}/${agent}.jsonl`;
}

/** Reads the whole lines of a mailbox that are messages; the rest stays. */
function readMailbox(text: string): { readonly envelopes: readonly Envelope[]; readonly rest: string } {
  const envelopes: Envelope[] = [];
  let rest = '';
  for (const [line] of text.matchAll(/[^\n]+\n?/g)) {
    const envelope = line.endsWith('\n') ? parseEnvelope(line) : null;
    if (envelope === null) rest += line;
    else envelopes.push(envelope);
  }
  return { envelopes, rest };
}

function parseEnvelope(line: string): Envelope | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && typeof (value as Envelope).id === 'number'
      ? (value as Envelope)
      : null;
  } catch {
    return null;
  }
}

/** The message bus of a run. */
export function messageBus(world: Map<string, unknown>): MessageBus {
  return entryOf(world, 'message-bus', () => new MessageBus());
}
