import {
  choice,
  either,
  group,
  list,
  map,
  refusedKey,
  type Shape,
  whole,
  wrongValue,
} from '../../core/base/shape.js';
import type { LayoutPart } from '../../core/run/parts.js';
import { MANY, plainAmount } from './amounts.js';

const PIECES = [
  'boundary',
  'first',
  'user-messages',
  'files',
  'todos',
  'tail',
  'last-prompt',
  'summary',
  'env',
  'ack',
  'trailer',
  'images',
  'system',
] as const;
const PIECE_TOKENS = { env: 200, ack: 12, trailer: 60 } as const;
/** Images that come back where nothing is said. */
const PIECE_IMAGES = 3;

/** Pieces of the new history in their order; `system` stands there whatever happens and may be written for the reader. */
export const layout: Shape<readonly LayoutPart[]> = map(
  list(
    either(
      map(choice(PIECES, 'A piece of the new history.'), (kind): LayoutPart | null => {
        if (kind === 'system') return null;
        if (kind === 'summary') return { kind, role: 'user', frame: 'none' };
        if (kind === 'env' || kind === 'ack' || kind === 'trailer')
          return { kind, tokens: PIECE_TOKENS[kind] };
        if (kind === 'images') return { kind, n: PIECE_IMAGES };
        return { kind };
      }),
      map(
        group(
          {
            summary: group(
              {
                role: choice(['user', 'assistant'], 'Who says it.'),
                frame: choice(
                  ['none', 'standard'],
                  'Sentences around it: none, or those that tell the model to go on.',
                ),
              },
              'The summary.',
            ),
            env: plainAmount(0, MANY, 'Tokens of facts about the environment.'),
            ack: plainAmount(0, MANY, 'Tokens of an acknowledgement by the model.'),
            trailer: plainAmount(0, MANY, 'Tokens of a closing message.'),
            images: whole(1, 1_000, 'The newest images of what goes.'),
            first: refusedKey(
              'select.keep.first says how many messages that are',
              'write first alone here, and select: { keep: { first: 2 } }',
            ),
          },
          'A piece with its size.',
        ),
        (written, path, problems): LayoutPart | undefined => {
          const [kind] = Object.keys(written);
          if (Object.keys(written).length !== 1) {
            problems(wrongValue(path, 'one piece is wanted here'));
            return undefined;
          }
          if (kind === 'summary')
            return { kind, role: written.summary?.role ?? 'user', frame: written.summary?.frame ?? 'none' };
          if (kind === 'images') return { kind, n: written.images! };
          return { kind: kind as 'env', tokens: written[kind as 'env']! };
        },
      ),
    ),
    'Order of the new history: it decides how much of the cached prefix survives.',
  ),
  (pieces) => pieces.filter((piece) => piece !== null),
);
