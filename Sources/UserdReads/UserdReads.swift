// UserdReads
