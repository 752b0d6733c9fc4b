"""What a code base or a plan is worth: one set of figures of its modules, which every screen, command and report reads.

`found`, `modules`      what counts as a module
`figures`, `reach`      the figures and their formulae
`prepared`, `places`    a graph, prepared once
`after`, `change`       a step from there, by what it changes alone
`judged`, `local`       a plan, and a step inside one module
`rows`                  the figures for people and programs: names, order, words
`comparing`             two plans side by side, and the work that a task list tells
"""
