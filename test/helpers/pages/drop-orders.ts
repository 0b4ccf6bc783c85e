import type { Block } from '../../../src/report/document/document.js';
import { droppedHeaders } from '../../../src/report/text/table.js';

/** The columns of each table in the order in which they go when a terminal becomes narrower; tables that keep all are left out. */
export function dropOrders(blocks: readonly Block[]): readonly (readonly string[])[] {
  return blocks.flatMap((block): readonly (readonly string[])[] => {
    if (typeof block !== 'object') return [];
    if (block.kind === 'section') return dropOrders(block.blocks);
    if (block.kind !== 'table' || block.rows.length === 0) return [];
    const order: string[] = [];
    for (let width = 400; width > 0; width--)
      for (const header of droppedHeaders(block.columns, block.rows, width))
        if (!order.includes(header)) order.push(header);
    return order.length === 0 ? [] : [order];
  });
}
