import { describe, expect, it } from 'vitest';
import { validateTranscript } from '../../../src/analysis/validate/validate.js';
import { begun, RecordingBuilder, readText } from './recording.js';

/** Ten requests that only grow, 20 s apart. */
function steady(version = '2.1.42'): RecordingBuilder {
  const recording = begun(version, undefined, { read: 16_000, write: 14_000 });
  for (let i = 1; i < 10; i++) {
    recording
      .say('and then', i * 20)
      .answer({ at: i * 20 + 5, read: 30_000 + (i - 1) * 500, write: 500, input: 0 });
  }
  return recording;
}

function validate(text: string) {
  return validateTranscript(readText(text), 'test');
}

function whats(file: ReturnType<typeof validate>): readonly string[] {
  return file.leftOut.map(({ what }) => what);
}

describe('a recording that is not whole is used as far as possible', () => {
  it('starts in mid-session', () => {
    const recording = begun('2.1.42', undefined, { read: 120_000, write: 500 })
      .say('more', 20)
      .answer({ at: 25, read: 120_500, write: 500 });
    const file = validate(recording.text);
    expect(file.figures.given.classAgreement).toBe(1);
    expect(whats(file)).toContain('threads that start in mid-session');
  });

  it('has no usage at all', () => {
    const recording = new RecordingBuilder()
      .say('go', 0)
      .answer({ at: 5, read: 0, write: 0, usage: 'absent' });
    const file = validate(recording.text);
    expect(file.requests).toBe(0);
    expect(file.figures.blind.classAgreement).toBeNull();
    expect(whats(file)).toContain('responses without usage');
  });

  it('lacks usage here and there', () => {
    const recording = begun('2.0.64', undefined, { read: 16_000, write: 14_000 })
      .say('one', 20)
      .answer({ at: 25, read: 0, write: 0, usage: 'absent' })
      .say('two', 40)
      .answer({ at: 45, read: 30_000, write: 900 });
    const file = validate(recording.text);
    expect(file.requests).toBe(1);
    expect(file.leftOut).toContainEqual(
      expect.objectContaining({ what: 'responses without usage', count: 1 }),
    );
    expect(file.figures.blind.classAgreement).toBe(1);
  });

  it('has placeholder output counts: prompts are still predicted from the text', () => {
    const file = validate(steady('2.0.76').text);
    expect(file.figures.blind.promptError).toBeLessThan(0.02);
  });

  it('mixes lifetimes: an entry keeps the one it was written with', () => {
    const recording = begun('2.0.64', undefined, { read: 0, write: 30_000, ttl: '1h' })
      .say('one', 20)
      .answer({ at: 25, read: 30_000, write: 6_000, ttl: '5m' })
      .say('two', 620)
      .answer({ at: 625, read: 30_000, write: 6_500, ttl: '5m' });
    const file = validate(recording.text);
    const [, second] = file.comparisons.blind;
    expect(second!.predicted.cacheRead).toBe(30_000);
    expect(file.figures.blind.readError).toBe(0);
  });

  it('holds two session ids: the second is a new process', () => {
    const recording = begun('2.1.42', undefined, { read: 16_000, write: 84_000 });
    recording.sessionId = 'session-2';
    recording.say('again', 40).answer({ at: 45, read: 16_000, write: 85_000 });
    const file = validate(recording.text);
    expect(file.comparisons.blind[0]).toMatchObject({ cause: 'resume', predictedClass: 'miss' });
  });

  it('has its lines out of order in time', () => {
    const recording = steady();
    const half = recording.lines.length / 2;
    const swapped = [...recording.lines.slice(half), ...recording.lines.slice(0, half)];
    const inOrder = validate(recording.text);
    const file = validate(swapped.join('\n'));
    expect(file.comparisons.blind.map(({ predicted }) => predicted)).toEqual(
      inOrder.comparisons.blind.map(({ predicted }) => predicted),
    );
    expect(whats(file).some((what) => what.includes('out of order'))).toBe(true);
  });

  it('is cut in the middle of a line', () => {
    const { text } = steady();
    const file = validate(text.slice(0, text.length - 150));
    expect(file.requests).toBe(8);
    expect(file.figures.given.classAgreement).toBe(1);
    expect(whats(file).some((what) => what.includes('incomplete'))).toBe(true);
  });
});
