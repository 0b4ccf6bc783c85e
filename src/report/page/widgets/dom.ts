type Child = Node | string | null;
type Attributes = Readonly<Record<string, string | number | boolean | null | ((event: never) => void)>>;
type Content = readonly [Attributes, ...Child[]] | readonly Child[];

/** The element that a name such as `p.quiet` stands for. */
type TagOf<Name extends string> = Name extends `${infer Tag}.${string}` ? Tag : Name;
type Named<Tag extends string> = Tag | `${Tag}.${string}`;

function isAttributes(value: Attributes | Child | undefined): value is Attributes {
  return typeof value === 'object' && value !== null && !(value instanceof Node);
}

function create(make: (tag: string) => Element, name: string, content: Content): Element {
  const [tag, ...classes] = name.split('.');
  const element = make(tag!);
  if (classes.length > 0) element.setAttribute('class', classes.join(' '));
  for (const item of content) {
    if (!isAttributes(item)) {
      if (item !== null) element.append(item);
      continue;
    }
    for (const [key, value] of Object.entries(item)) {
      if (value === null || value === false) continue;
      if (typeof value === 'function') element.addEventListener(key, value as EventListener);
      else element.setAttribute(key, value === true ? '' : String(value));
    }
  }
  return element;
}

/** An HTML element, its classes behind its name: `h('p.quiet', text)`. Functions among the attributes are listeners, null ones are left out. */
export function h<Name extends Named<keyof HTMLElementTagNameMap>>(name: Name, ...content: Content) {
  const element = create((tag) => document.createElement(tag), name, content);
  return element as HTMLElementTagNameMap[TagOf<Name> & keyof HTMLElementTagNameMap];
}

/** An SVG element, its classes behind its name. */
export function s<Name extends Named<keyof SVGElementTagNameMap>>(name: Name, ...content: Content) {
  const element = create((tag) => document.createElementNS('http://www.w3.org/2000/svg', tag), name, content);
  return element as SVGElementTagNameMap[TagOf<Name> & keyof SVGElementTagNameMap];
}

/** Calls a function at most once before the next picture is drawn. */
export function oncePerFrame(action: () => void): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      action();
    });
  };
}
