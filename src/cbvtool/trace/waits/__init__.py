"""Who waits for whom: releases that ended waits, totals of waiting, what a moment depended on, estimates. No Qt."""
