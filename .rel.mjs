import { RelatedTests } from './scripts/mutate/related-tests.mjs';
const r=new RelatedTests(process.cwd());
for (const f of process.argv.slice(2)) { const l=r.of(f); console.log(f,l.length); console.log('   '+l.slice(0,14).join('\n   ')); }
