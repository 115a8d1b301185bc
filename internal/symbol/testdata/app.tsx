import React from 'react'
const Id = <T,>(x: T) => x
export const App: React.FC<Props> = ({ a }) => {
  return (
    <div className="x" onClick={() => { go({ a: 1 }) }}>
      {/* don't */}
      Don't {a} <b>it's</b>
      {list.map(x => <Item key={x} {...x} />)}
      <>
        <Foo<T> render={() => <p>'</p>} />
      </>
    </div>
  )
}
function Next() { return <a href='x'>y</a>; }
class K extends C { render() { return cond && <X/> } }
