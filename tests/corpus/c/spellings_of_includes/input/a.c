# include "one.h"
  #  include	<two.h> // angles
%: include "three.h"
#include/**/"four.h" /* a comment
#include "no.h" */
#\
include "five.h"
#include \
  "six.h"
/* #include "no.h" */ #include "seven.h"
// #include "no.h"
const char *text = "\
#include \"no.h\"";
/*
#include "no.h"
*/
//  \
#include "no.h"
#include "./sub/../eight.h"
#include "sub\\nine.h"
#import "ten.h"
#includes "no.h"
#include_once "no.h"
