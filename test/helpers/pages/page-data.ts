/** The data inside a page, read as a browser does: up to the first end of a script element. */
export function dataOf<Data>(html: string): Data {
  const start = html.indexOf('id="data">') + 'id="data">'.length;
  return JSON.parse(html.slice(start, html.indexOf('</script', start))) as Data;
}
